// SPDX-License-Identifier: BSL-1.0
// Redistribution between meshes of the same ranks, on real tensors.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/ops/arrays/between_meshes.hpp"
#include "ashlar/tensor/backend.hpp"

namespace ashlar {

namespace tensor_detail {

ASHLAR_INLINE step_transfers transfers_between(layout_value const& from, mesh_shape const& before,
                                               layout_value const& to, mesh_shape const& after, shape const& extents,
                                               int rank);

ASHLAR_INLINE void require_same_ranks(communicator const& a, communicator const& b);

/// The exchange between two distributions, as a step that all axes take part in. most(): the elements that a rank receives
/// at most.
template <class Space, class T, class M, class Most>
void exchange_blocks(device_mesh<M> const& m, step_transfers const& transfers, Most const& most, T const* source,
                     T* destination, call_site const& w) {
  if (m.size() == 1) return kernels::copy(Space{}, source, destination, transfers.destination.size());
  plan_step s;
  s.what = step_kind::exchange;
  s.axes = mask_of(m.sizes().axes) - 1u;
  if (m.recorder()) plan_detail::note(m, s, most() * static_cast<index_t>(sizeof(T)), w);
  collective_scope const scope(
      m, s, fingerprint_of(plan_detail::collective_of(s.what), transfers.fingerprint, element_code<T>),
      transfers.received * sizeof(T), w);
  move_elements<step_kind::exchange>(Space{}, transfers, m.communicator(), source, destination);
}

}  // namespace tensor_detail

/// Brings a tensor to another mesh of the same ranks, in layout To of that mesh.
/// Shape: the extents of x; the result has the layout To on the other mesh.
/// Pre: both meshes are made from one communicator.
/// Collective: every rank of the meshes calls it; it blocks.
/// Cost: one exchange. A rank receives the elements of its new shard that it lacks, each once. The first such call
///   works out the transfers, in one pass over all ranks.
/// Error: ashlar::error if the meshes have different ranks, or the same ranks in another order. A layout of another
///   rank, or with axes that the other mesh lacks, does not compile. It has no derivative.
/// Example: redistribute<layout<"rows", "columns">>(x, grid) with x of layout<"data", none> on a line of 4 ranks and grid of 2 x 2
template <class To, plain_tensor X, class M2>
  requires(!plan_detail::layout_is_partial<layout_t<X>>::value && !plan_detail::layout_is_partial<To>::value)
[[nodiscard]] auto redistribute(X const& x, device_mesh<M2> const& other, call_site w = call_site::current()) {
  using L = layout_t<X>;
  using T = element_t<X>;
  meta_detail::hold<ops_detail::redistribute_target<M2, L, To>>();
  auto const& t = plan_detail::materialize(x);
  using Space = typename std::remove_cvref_t<decltype(t)>::execution_space;
  auto const& m = t.mesh();
  tensor_detail::require_same_ranks(m.communicator(), other.communicator());
  static constexpr layout_value ends[]{layout_detail::value_v<plan_detail::mesh_context<mesh_t<X>, L>, L>,
                                       layout_detail::value_v<plan_detail::mesh_context<M2, To>, To>};
  layout_value const &from = ends[0], &to = ends[1];
  auto const& transfers = *tensor_detail::remembered(
      {.of = ends, .extents = t.extents(), .mesh = m.sizes(), .rank = m.rank(), .other = other.sizes()},
      [&] { return tensor_detail::transfers_between(from, m.sizes(), to, other.sizes(), t.extents(), m.rank()); });
  sharded_tensor<T, To, M2, Space> y(other, t.extents(), transfers.destination.size());
  auto const most = [&] { return ops_detail::most_lacked(from, m.sizes(), to, other.sizes(), t.extents()); };
  tensor_detail::exchange_blocks<Space, element_t<X>>(m, transfers, most, t.data(), tensor_detail::cells_of(y), w);
  return y;
}

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/tensor/arrays/impl/between_meshes.ipp"
#endif
