// Dimensions of real tensors joined and cut: the same shard under other extents.
#pragma once
#include "ashlar/plan/view.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

template <int First, int Last, class T, class L, class M, class X>
auto launch(merge_op<First, Last> const&, detail::tensor_type<T, L>, device_mesh<M> const&, shape const& extents, X const& x) {
  return detail::share<L>(materialize(x), extents);
}
template <int Dim, int Count, class T, class L, class M, class X>
auto launch(unmerge_op<Dim, Count> const&, detail::tensor_type<T, L>, device_mesh<M> const&, shape const& extents, X const& x) {
  return detail::share<L>(materialize(x), extents);
}

}  // namespace ashlar
