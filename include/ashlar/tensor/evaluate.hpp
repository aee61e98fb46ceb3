// Evaluates operations on real tensors: their kernels run on the shards of this rank.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <utility>

namespace ashlar {

namespace tensor_detail {

template <class T, class X>
kernels::shard<T> shard_of(X const& x) {
  return {x.data(), x.local_region(), x.extents()};
}

/// True if there is an overload of run for the operation and these shards.
template <class Op, class Space, class... Shard>
concept has_kernel = requires {
  run(std::declval<Op const&>(), std::declval<Space const&>(), std::declval<scratch_memory>(),
      std::declval<Shard const&>()...);
};
template <class Op, class Space, class... Shard>
struct operation_without_a_kernel {
  static constexpr bool value = !has_kernel<Op, Space, Shard...>;
};

/// Writes the result of an operation into y: calls the kernel run(op, space, scratch, y, x...) on the shards.
template <class Op, class T, class L, class M, class S, class... X>
void evaluate_into(Op const& op, sharded_tensor<T, L, M, S>& y, X const&... x) {
  static_assert(
      !operation_without_a_kernel<Op, S, kernels::shard<T>, kernels::shard<element_t<X> const>...>::value,
      "ashlar::evaluate: the operation has no kernel; include ashlar/kernels/<its name>.hpp, or write run(op, space, scratch, y, x...) beside it");
  run(op, S{}, scratch_from_pool<S>, shard_of<T>(y), shard_of<element_t<X> const>(x)...);
}

/// The result of an operation as a new tensor. Operations whose result is lazy or shares memory have overloads in
/// tensor/elementwise.hpp and tensor/view.hpp.
template <class T, class L, class Op, class M, class... X>
auto make_result(Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
  tensor_on<T, L, M> y(m, extents);
  evaluate_into(op, y, materialize(x)...);
  return y;
}

}  // namespace tensor_detail

}  // namespace ashlar
