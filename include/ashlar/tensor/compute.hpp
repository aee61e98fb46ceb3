// SPDX-License-Identifier: BSL-1.0
// The results of operations on real ranks.
#pragma once
#include "ashlar/comm/desync/noted_error.hpp"
#include "ashlar/config.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/meta/check.hpp"
#include "ashlar/ops/complex.hpp"
#include "ashlar/plan/extent_errors.hpp"
#include "ashlar/tensor/elementwise.hpp"
#include "ashlar/tensor/view.hpp"

namespace ashlar::tensor_detail {

template <class T, class X>
kernels::shard<T> shard_of(X const& x) {
  return {cells_of(x), x.local_region(), x.extents()};
}

/// True if there is an overload of run for the operation and these shards.
template <class Op, class Space, class... Shard>
concept has_kernel = requires {
  run(std::declval<Op const&>(), std::declval<Space const&>(), std::declval<kernels::scratch_memory>(),
      std::declval<Shard const&>()...);
};
template <class Op, class Space, class... Shard>
struct operation_has_a_kernel {
  static constexpr bool ok = has_kernel<Op, Space, Shard...>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::apply: the operation has no kernel; include ashlar/blas.hpp for einsum, transpose and convolutions, or ashlar/kernels/<its name>.hpp; beside an operation of your own write run(op, space, scratch, y, x...)");
  }
};

/// Calls the kernel run(op, space, scratch, y, x...).
/// Returns nothing. Its type is deduced, so that clang names the line of the program in the sentence.
template <class Space, class Op, class T, class... X>
auto evaluate_shards(Op const& op, kernels::shard<T> const& y, X const&... x) {
  if constexpr (meta_detail::hold<operation_has_a_kernel<Op, Space, kernels::shard<T>, X...>>())
    run(op, Space{}, scratch_from_pool<Space>, y, x...);
}

/// True for operations whose kernel returns an index that is outside. The index is their second operand.
template <class Op>
concept looks_for_an_index_outside = requires { Op::words; };

/// `found` is in the shard `own` of the index. If all ranks have the same index, each of them throws here. Else this rank
/// notes the error, and its next call of the ranks tells the others.
/// Error: ashlar::error.
ASHLAR_INLINE void refuse_index(plan_detail::index_words const& words, kernels::outside_index const& found,
                                region const& own, bool same_on_all_ranks);

/// Writes the result of an operation into y: calls the kernel run(op, space, scratch, y, x...) on the shards.
template <class Op, class T, class L, class M, class S, class... X>
auto evaluate_into(Op const& op, sharded_tensor<T, L, M, S>& y, X const&... x) {
  if constexpr (looks_for_an_index_outside<Op>) {
    kernels::outside_index const found =
        run(op, S{}, scratch_from_pool<S>, shard_of<T>(y), shard_of<element_t<X> const>(x)...);
    if (found.at < 0) return;
    auto const& index = ops_detail::operand_at<1>(x...);
    using Index = std::remove_cvref_t<decltype(index)>;
    constexpr axis_mask sharding = plan_detail::value_on<M, layout_t<Index>>.sharding();
    refuse_index(Op::words, found, index.local_region(), y.mesh().sizes().ranks(sharding) == 1);
  } else {
    evaluate_shards<S>(op, shard_of<T>(y), shard_of<element_t<X> const>(x)...);
  }
}

/// The result of an operation as a new tensor. Operations whose result is lazy have overloads in tensor/elementwise.hpp,
/// those whose result shares memory in tensor/view.hpp.
template <class T, class L, class Op, class M, class... X>
auto make_result(real_ranks, Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
  tensor_on<T, L, M> y(m, extents);
  evaluate_into(op, y, materialize(x)...);
  return y;
}

// A function that returns std::complex, as the elements are stored.
template <class T, class F>
struct stored_result {
  static constexpr linearity kind = F::kind;
  F f;
  template <class... X>
  KOKKOS_FUNCTION T operator()(X const&... x) const {
    return f(x...);
  }
};
/// The operation whose results are elements of type T. Fused functions take the elements of their operands as they are
/// stored, so results of std::complex are converted before the next function.
template <class T, class Op>
Op const& storing(Op const& op) {
  return op;
}
template <class T, class F>
  requires(!std::is_same_v<T, typename storable<T>::type>)
auto storing(elementwise_op<F> const& op) {
  return elementwise_op<stored_result<typename storable<T>::type, F>>{{op.f}};
}
template <class T, class F, int Rank>
  requires(!std::is_same_v<T, typename storable<T>::type>)
auto storing(elementwise_op<function_of_index<F, Rank>> const& op) {
  using stored = stored_result<typename storable<T>::type, F>;
  return elementwise_op<function_of_index<stored, Rank>>{{{op.f.f}}};
}

template <class T, class L, class Op, class M, class... X>
auto compute(real_ranks runs, Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
  return make_result<typename storable<T>::type, L>(runs, storing<T>(op), m, extents, x...);
}

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/compute.ipp"
#endif
