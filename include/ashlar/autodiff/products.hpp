// SPDX-License-Identifier: BSL-1.0
// Derivatives of products of tensors in any layouts, and of products that overlap with their communication.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/products/collective_einsum.hpp"
#include "ashlar/ops/products/matmul.hpp"

namespace ashlar::ops_detail {

/// The product of active tensors. Its pullbacks are products into the duals of the operands' layouts.
template <equation E, class To, bool ByTypes, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto multiply(product_into<E, To, ByTypes> into, A const& a, B const& b, call_site const& w) {
  auto const pull = [a, b, w](auto const& result) {
    auto const& ct = result.cotangent().value();
    pull_to(a, [&]<class C>(destination<C, 0u>) {
      return multiply(product_into<cotangent_equation_of<E, 0>, C, ByTypes>{}, ct, stop_gradient(b), w);
    });
    pull_to(b, [&]<class C>(destination<C, 0u>) {
      return multiply(product_into<cotangent_equation_of<E, 1>, C, ByTypes>{}, stop_gradient(a), ct, w);
    });
  };
  return autodiff_detail::record<0u>(multiply(into, stop_gradient(a), stop_gradient(b), w), pull, a, b);
}

/// einsum_relayout of active tensors. The pullback brings the cotangent into the dual of the product's layout, once for
/// both operands.
template <equation E, class To, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto einsum_relayout(einsum_op<E> const& op, destination<To, 0u> to, A const& a, B const& b, index_t wanted,
                               call_site const& w) {
  using Product = decltype(einsum<E>(a, b));
  using Result = decltype(relayout(to, einsum<E>(a, b), w));
  auto const y = einsum_relayout(op, to, stop_gradient(a), stop_gradient(b), wanted, w);
  auto const pull = [op, a, b, w](auto const& result) {
    auto const ct = relayout(destination<dual_t<Product>, 0u>{}, result.cotangent().value(), w);
    autodiff_detail::pull_back<0>(op, ct, ct, a, a, b);
    autodiff_detail::pull_back<1>(op, ct, ct, b, a, b);
  };
  return autodiff_detail::record<Result::replicated>(y, pull, a, b);
}

/// relayout_einsum of active tensors. The gathered operand is not kept: the pullbacks are the transposed products, in
/// as many chunks.
template <equation E, class To, axis_mask Replicated, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto relayout_einsum(einsum_op<E> const& op, destination<To, Replicated> to, A const& a, B const& b,
                               index_t wanted, call_site const& w) {
  if constexpr ((dims_summed_alone(E, 0) | dims_summed_alone(E, 1)) != 0) {  // the cotangents are not only products
    return einsum<E>(relayout(to, a, w), b);
  } else {
    using Result = decltype(einsum<E>(relayout(to, a, w), b));
    auto const y = relayout_einsum(op, destination<To, 0u>{}, stop_gradient(a), stop_gradient(b), wanted, w);
    auto const pull = [a, b, wanted, w](auto const& result) {
      auto const& ct = result.cotangent().value();
      pull_to(a, [&](auto back) {
        return einsum_relayout(einsum_op<cotangent_equation(E, 0)>{}, back, ct, stop_gradient(b), wanted, w);
      });
      pull_to(b, [&](auto) {
        return relayout_einsum(einsum_op<cotangent_equation(E, 1)>{}, destination<To, 0u>{}, stop_gradient(a), ct,
                               wanted, w);
      });
    };
    return autodiff_detail::record<Result::replicated>(y, pull, a, b);
  }
}

}  // namespace ashlar::ops_detail
