// SPDX-License-Identifier: BSL-1.0
// Tensors made from elements that ranks already have, their shards or the whole; and shards of tensors.
#pragma once
#include "ashlar/tensor/arrays/gather.hpp"

namespace ashlar {

namespace tensor_detail {

// Makes a tensor that fill(x, elements) writes, after all ranks have agreed that each gives the number of elements that
// it needs.
template <class L, class M, class Range, class Expected, class Fill>
auto filled_by_ranks(device_mesh<M> const& m, shape const& extents, Range const& given, char const* name,
                     char const* rule, Expected expected, Fill fill, call_site const& w) {
  std::span const elements(given);
  using T = typename storable<std::remove_const_t<typename decltype(elements)::element_type>>::type;
  sharded_tensor<T, L, M> x(m, extents);
  comm::collectively(
      m.communicator(),
      [&] {
        index_t const needed = expected(x), found = static_cast<index_t>(elements.size());
        if (found == needed) return;
        error_text text;
        text << rule << "; expected " << needed << " of " << extents << ", found " << found;
        fail_with(text);
      },
      name, w);
  fill(x, elements);
  return x;
}

}  // namespace tensor_detail

/// The global indices of this rank's shard of a tensor, before the tensor exists.
/// Error: an axis that the mesh lacks does not compile.
/// Example: local_region<batch_sharded<"data", 2>>(m, {6, 4}).dim[0] are this rank's rows
template <class L, class M, std::size_t N>
region local_region(device_mesh<M> const& m, index_t const (&n)[N]) {
  return local_region(plan_detail::checked_extents<L>(n), layout_value_v<M, L>, m.sizes(), m.rank());
}

/// Makes a tensor from each rank's shard of it, row-major. If the layout is partial, each rank gives its term of the
/// reduction.
/// Pre: ranks that hold the same shard give the same elements. Post: unpack(pack<L>(m, n, piece)) == piece.
/// Collective: every rank of the mesh calls it; it blocks. It has no entry in a ledger.
/// Cost: agreement of a few bytes, no elements; a copy of the shard.
/// Error: ashlar::error on every rank if the extents differ between ranks, or if some rank gives another number of
///   elements than its shard has.
/// Example: pack<batch_sharded<"data", 2>>(m, {6, 4}, rows) of std::vector<float> rows, which are this rank's
template <class L, class M, std::size_t N, class Range>
auto pack(device_mesh<M> const& m, index_t const (&n)[N], Range const& piece, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  comm::require_equal(m.communicator(), n, "ashlar::pack: the extents", w);
  return tensor_detail::filled_by_ranks<L>(
      m, plan_detail::checked_extents<L>(n), piece, "pack", "ashlar::pack: a rank gives the elements of its shard",
      [](auto const& x) { return x.local_size(); },
      [](auto const& x, auto const& elements) {
        tensor_detail::fill_from_host(x, [&](auto* own) { std::copy(elements.begin(), elements.end(), own); });
      },
      w);
}

/// This rank's shard of a tensor, row-major. If the tensor is partial, it is this rank's term of the reduction.
/// Collective: no; each rank may call it by itself. Cost: a copy of the shard.
/// Error: ashlar::error with the bytes if there is no memory for it.
/// Example: std::vector<float> const rows = unpack(x);  // x of layout<"data", none>
template <plain_tensor X>
std::vector<element_t<X>> unpack(X const& x) {
  auto const& t = plan_detail::materialize(x);
  auto const own = tensor_detail::on_host<typename std::remove_cvref_t<decltype(t)>::execution_space>(
      tensor_detail::cells_of(t), t.local_size());
  return comm_detail::copied_elements<element_t<X>>(own.data(), own.size());
}

/// Makes a tensor from all its elements, row-major, which every rank has. Each rank copies its shard. (If only rank 0
/// has the elements, use scatter.)
/// Pre: all ranks give the same elements. Post: gather_all(copy_to_mesh<L>(m, n, v)) == v.
/// Collective: every rank of the mesh calls it; it blocks. It has no entry in a ledger.
/// Cost: agreement of a few bytes, no elements; a copy of the shard.
/// Error: ashlar::error on every rank if the extents differ between ranks, or if some rank gives another number of
///   elements than they need. A partial layout does not compile.
/// Example: copy_to_mesh<replicated<2>>(m, {16, 16}, std::vector<float>(256))
template <class L, class M, std::size_t N, class Range>
auto copy_to_mesh(device_mesh<M> const& m, index_t const (&n)[N], Range const& elements,
                  call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(
      !plan_detail::layout_is_partial<L>::value,
      "ashlar::copy_to_mesh: the layout is partial, and each rank would hold the whole value; copy into the layout without it, then write as_partial<axis>");
  comm::require_equal(m.communicator(), n, "ashlar::copy_to_mesh: the extents", w);
  return tensor_detail::filled_by_ranks<L>(
      m, plan_detail::checked_extents<L>(n), elements, "copy_to_mesh",
      "ashlar::copy_to_mesh: a rank gives all elements of the tensor", [](auto const& x) { return x.extents().size(); },
      [](auto const& x, auto const& all) { tensor_detail::fill_from_whole(x, all.data()); }, w);
}

}  // namespace ashlar
