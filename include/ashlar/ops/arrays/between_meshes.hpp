// SPDX-License-Identifier: BSL-1.0
// Redistribution between meshes of the same ranks.
#pragma once
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {

// True if `sender` sends to `receiver`. If several ranks hold the same elements, the sender is the rank with the
// receiver's position among them. So a rank that holds the elements that it needs sends them to itself.
constexpr bool sends_to(layout_value const& from, mesh_shape const& mesh, int sender, int receiver) {
  axis_mask const copies = ((mask_of(mesh.axes) - 1u) & ~from.sharding());
  return mesh.position(sender, copies) == mesh.position(receiver, copies);
}

// The largest number of elements of its new shard that a rank lacks.
constexpr index_t most_lacked(layout_value const& from, mesh_shape const& before, layout_value const& to,
                              mesh_shape const& after, shape const& extents) {
  index_t most = 0;
  for (int r = 0; r < before.ranks(); ++r) {
    region const need = local_region(extents, to, after, r);
    index_t const lacked = need.size() - common_size(need, local_region(extents, from, before, r));
    if (most < lacked) most = lacked;
  }
  return most;
}

// The mesh type of a handle: of a mesh value, or of a mesh of processes.
template <class H>
struct mesh_of_handle;
template <class... Axes>
struct mesh_of_handle<mesh<Axes...>> {
  using type = mesh<Axes...>;
};
template <class H>
  requires requires(H const& h) { h.shape(); }
struct mesh_of_handle<H> {
  using type = std::remove_cvref_t<decltype(std::declval<H const&>().shape())>;
};
template <class H>
concept mesh_handle = requires { typename mesh_of_handle<H>::type; };

// The layout for the exchange between the meshes. The other mesh lacks the axes over which the tensor is partial, so
// dimension 0 is split over these axes instead.
template <class Mesh, class L>
struct split_where_partial {
  using c = mesh_context<Mesh, L>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, L>;
    while (v.levels > 0) {  // in the order in which they are reduced
      axis_mask const innermost = v.reductions[0].axes;
      v.drop_partial(innermost);
      for (int a = 0; a < max_axes && v.rank > 0; ++a)
        if (innermost >> a & 1u) v.dim[0].push(a);
    }
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

}  // namespace ops_detail

/// Brings a tensor to another mesh of the same ranks, real or abstract, if the tensor is partial before or after. A
/// partial tensor is first reduced to parts of dimension 0. A partial result is made by a pad after the exchange. The
/// rest is as without partial layouts.
/// Cost: besides the exchange, as the redistribution to these parts; none if only the result is partial.
template <class To, plain_tensor X, class Other>
  requires ops_detail::mesh_handle<Other> &&
           (plan_detail::layout_is_partial<layout_t<X>>::value || plan_detail::layout_is_partial<To>::value)
[[nodiscard]] constexpr auto redistribute(X const& x, Other const& other, call_site w = call_site::current()) {
  using M2 = typename ops_detail::mesh_of_handle<Other>::type;
  meta_detail::hold<ops_detail::redistribute_target<M2, layout_t<X>, To>>();
  if constexpr (plan_detail::layout_is_partial<layout_t<X>>::value)
    return redistribute<To>(redistribute<typename ops_detail::split_where_partial<mesh_t<X>, layout_t<X>>::type>(x, w),
                            other, w);
  else
    return redistribute<To>(redistribute<typename ops_detail::split_where_partial<M2, To>::type>(x, other, w), w);
}

/// Brings an abstract tensor to another mesh of the same ranks. The exchange is recorded on the tensor's old mesh.
/// Shape: the extents of x; the result has the layout To on the other mesh.
/// Error: ashlar::error if the meshes have different numbers of ranks.
template <class To, class T, class L, class M, class... Axes>
  requires(!plan_detail::layout_is_partial<L>::value && !plan_detail::layout_is_partial<To>::value)
[[nodiscard]] constexpr auto redistribute(abstract_tensor<T, L, M> const& x, mesh<Axes...> const& other,
                                          call_site w = call_site::current()) {
  using M2 = mesh<Axes...>;
  meta_detail::hold<ops_detail::redistribute_target<M2, L, To>>();
  mesh_shape const &before = x.mesh().sizes(), &after = other.sizes();
  if (before.ranks() != after.ranks())
    meta_detail::fail("ashlar::redistribute: the other mesh has as many ranks as the tensor's");
  constexpr layout_value from = layout_detail::value_v<plan_detail::mesh_context<M, L>, L>,
                         to = layout_detail::value_v<plan_detail::mesh_context<M2, To>, To>;
  planning::plan_step const s{
      planning::step_kind::exchange, layout_detail::mask_of(before.axes) - 1u, layout_detail::op_sum, {}, {}};
  plan_detail::note(x.mesh(), s,
                    ops_detail::most_lacked(from, before, to, after, x.extents()) * static_cast<index_t>(sizeof(T)), w);
  return abstract_tensor<T, To, M2>(abstract_mesh<M2>(other), x.extents());
}

}  // namespace ashlar
