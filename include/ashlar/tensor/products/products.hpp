// SPDX-License-Identifier: BSL-1.0
// Products of matrices, and of chunks of them, on real ranks.
#pragma once
#include "ashlar/kernels/products/einsum.hpp"
#include "ashlar/ops/products/matmul_into.hpp"
#include "ashlar/tensor/compute.hpp"
#include "ashlar/tensor/products/collective_einsum.hpp"
#include "ashlar/tensor/products/product_of_blocks.hpp"
#include <optional>

namespace ashlar::tensor_detail {

/// True for the expression conj(x) of a stored tensor x.
template <class X>
inline constexpr bool is_conjugate = false;
template <class T, class L, class M, class Tensor>
inline constexpr bool is_conjugate<
    expression<T, L, M, kernels_detail::function_node<ops_detail::fn::conjugate, kernels_detail::leaf_node>,
               tensor_source<Tensor>>> = !layout_has_a_halo<L>::value;

/// True if one of the operands is conj(x), and they have one layout.
template <class A, class B>
inline constexpr bool is_one_conjugated =
    is_conjugate<A> != is_conjugate<B> && std::is_same_v<layout_t<A>, layout_t<B>>;

/// True if an expression is conj(x), and is not evaluated.
template <class C, class X>
bool conjugates(C const& conjugate, X const& x) {
  return conjugate.finished() == nullptr && conjugate.sources().apply_to([&](auto const& source) {
    return cells_of(source.tensor) == cells_of(x) && source.tensor.extents() == x.extents();
  });
}

/// einsum<E> of a shard and its conjugate, which is operand Conjugated. Returns false, and writes nothing, unless BLAS
/// computes half of the product.
template <equation E, int Conjugated, class S, class T>
bool square_by_conjugate(kernels::shard<T> const& y, kernels::shard<T const> const& x) {
  using product = ops_detail::einsum_with_conjugate<E, Conjugated>;
  if constexpr (has_kernel<product, S, kernels::shard<T>, kernels::shard<T const>>)
    return run(product{}, S{}, scratch_from_pool<S>, y, x);
  else
    return false;
}

/// einsum of two tensors of which one is conj(x). If the other one is x, the conjugate is not stored.
template <class T, class L, equation E, class M, class A, class B>
  requires(is_one_conjugated<A, B>)
auto make_result(real_ranks, einsum_op<E> const& op, device_mesh<M> const& m, shape const& extents, A const& a,
                 B const& b) {
  using S = typename tensor_on<T, L, M>::execution_space;
  tensor_on<T, L, M> y(m, extents);
  bool done = false;
  if constexpr (is_conjugate<A>) {
    auto const& x = materialize(b);
    done = conjugates(a, x) && square_by_conjugate<E, 0, S>(shard_of<T>(y), shard_of<T const>(x));
  } else {
    auto const& x = materialize(a);
    done = conjugates(b, x) && square_by_conjugate<E, 1, S>(shard_of<T>(y), shard_of<T const>(x));
  }
  if (!done) evaluate_into(op, y, materialize(a), materialize(b));
  return y;
}

template <equation E, class To, class A, class B>
constexpr bool multiplies(real_ranks) {
  return multiplies_shards<mesh_t<A>, To, A, B>;
}
/// einsum<E> of two operands in layout To. If one is the conjugate of the other, and no rank receives elements of them,
/// the conjugate is not stored.
template <equation E, class To, class A, class B>
auto multiply_shards(real_ranks, ops_detail::product_problem const& p, A const& a, B const& b, shape const& product,
                     call_site const& w) {
  if constexpr (is_one_conjugated<A, B>) {
    constexpr int conjugated = is_conjugate<A> ? 0 : 1;
    auto const in_half = [&](auto const& conjugate, auto const& x) {
      using T = element_t<A>;
      using S = typename std::remove_cvref_t<decltype(x)>::execution_space;
      using result = decltype(multiply<E, To>(p, x, x, product, w));
      if (!conjugates(conjugate, x)) return std::optional<result>();
      return multiply_in_half<E, To>(p, square_by_conjugate<E, conjugated, S, T>, x, product, w);
    };
    if constexpr (conjugated == 0) {
      if (auto const c = in_half(a, materialize(b))) return *c;
    } else {
      if (auto const c = in_half(b, materialize(a))) return *c;
    }
  }
  return multiply<E, To>(p, materialize(a), materialize(b), product, w);
}

template <equation E, class C, class A, class B>
void multiply_shards_into(real_ranks, ops_detail::product_problem const& p, C& c, element_t<C> const& alpha, A const& a,
                          B const& b, call_site const& w) {
  multiply_into<E>(p, c, alpha, materialize(a), materialize(b), w);
}

}  // namespace ashlar::tensor_detail
