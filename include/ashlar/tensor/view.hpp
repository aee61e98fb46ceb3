// Operations on real tensors whose result is the operand's memory: dimensions joined and cut, one of several stacked tensors.
#pragma once
#include "ashlar/ops/select.hpp"
#include "ashlar/ops/view.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

template <int First, int Last, class T, class L, class M, class X>
auto make_result(flatten_op<First, Last> const&, detail::tensor_type<T, L>, device_mesh<M> const&, shape const& extents, X const& x) {
  return detail::share<L>(materialize(x), extents);
}
template <int Dim, int Count, class T, class L, class M, class X>
auto make_result(unflatten_op<Dim, Count> const&, detail::tensor_type<T, L>, device_mesh<M> const&, shape const& extents, X const& x) {
  return detail::share<L>(materialize(x), extents);
}
template <class T, class L, class M, class X>
auto make_result(select_op const& op, detail::tensor_type<T, L>, device_mesh<M> const& m, shape const& extents, X const& x) {
  auto const& whole = materialize(x);
  using Whole = std::remove_cvref_t<decltype(whole)>;
  using Part = sharded_tensor<T, L, M, typename Whole::execution_space>;
  index_t const size = local_region(extents, Part::layout, m.sizes(), m.rank()).size();
  return Part(m, extents, detail::storage<typename Part::memory_space>::borrow(whole.owner()), whole.offset() + op.at * size);
}

}  // namespace ashlar
