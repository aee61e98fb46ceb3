// SPDX-License-Identifier: BSL-1.0
// Operations on real tensors whose result shares the operand's memory: flatten, unflatten, dimensions of extent 1, and
// select.
#pragma once
#include "ashlar/ops/select.hpp"
#include "ashlar/ops/view.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar::tensor_detail {

template <class T, class L, int First, int Last, class M, class X>
auto make_result(real_ranks, flatten_op<First, Last> const&, device_mesh<M> const&, shape const& extents, X const& x) {
  return share<L>(materialize(x), extents);
}
template <class T, class L, int Dim, int Count, class M, class X>
auto make_result(real_ranks, unflatten_op<Dim, Count> const&, device_mesh<M> const&, shape const& extents, X const& x) {
  return share<L>(materialize(x), extents);
}
template <class T, class L, unsigned Dims, class M, class X>
auto make_result(real_ranks, keep_dims_op<Dims> const&, device_mesh<M> const&, shape const& extents, X const& x) {
  return share<L>(materialize(x), extents);
}
template <class T, class L, unsigned Dims, class M, class X>
auto make_result(real_ranks, drop_dims_op<Dims> const&, device_mesh<M> const&, shape const& extents, X const& x) {
  return share<L>(materialize(x), extents);
}
template <class T, class L, class M, class X>
auto make_result(real_ranks, select_op const& op, device_mesh<M> const& m, shape const& extents, X const& x) {
  auto const& whole = materialize(x);
  using Whole = std::remove_cvref_t<decltype(whole)>;
  using Part = sharded_tensor<T, L, M, typename Whole::execution_space>;
  index_t const size = local_region(extents, Part::layout, m.sizes(), m.rank()).size();
  auto const part = stored(whole).part(op.at * size, size);
  return Part(m, extents, part.owner, part.offset);
}

}  // namespace ashlar::tensor_detail
