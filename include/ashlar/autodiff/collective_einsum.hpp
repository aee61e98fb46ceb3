// SPDX-License-Identifier: BSL-1.0
// Derivatives of products that overlap with their communication.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/products/collective_einsum.hpp"

namespace ashlar::ops_detail {

/// einsum_relayout of active tensors. The pullback brings the cotangent into the dual of the product's layout, once for
/// both operands.
template <equation E, class To, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto einsum_relayout(einsum_op<E> const& op, destination<To, 0u> to, A const& a, B const& b, index_t wanted,
                               call_site const& w) {
  using Product = decltype(einsum<E>(a, b));
  using Result = decltype(relayout(to, einsum<E>(a, b), w));
  Result const result(autodiff_detail::tape_of(a, b),
                      einsum_relayout(op, to, stop_gradient(a), stop_gradient(b), wanted, w));
  result.recording_tape().push([result, op, a, b, w] {
    if (!result.cotangent().is_set()) return;
    using Dual = layout_t<typename Product::cotangent_type>;
    auto const ct = relayout(destination<Dual, 0u>{}, result.cotangent().value(), w);
    autodiff_detail::pull_back<0>(op, ct, ct, a, a, b);
    autodiff_detail::pull_back<1>(op, ct, ct, b, a, b);
  });
  return result;
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
    Result const result(autodiff_detail::tape_of(a, b),
                        relayout_einsum(op, destination<To, 0u>{}, stop_gradient(a), stop_gradient(b), wanted, w));
    result.recording_tape().push([result, a, b, wanted, w] {
      if (!result.cotangent().is_set()) return;
      auto const& ct = result.cotangent().value();
      if constexpr (active_value<A>) {
        using C = typename A::cotangent_type;
        einsum_op<cotangent_equation(E, 0)> const product{};
        a.cotangent().add(C(einsum_relayout(product, destination<layout_t<C>, 0u>{}, ct, stop_gradient(b), wanted, w)));
      }
      if constexpr (active_value<B>) {
        using C = typename B::cotangent_type;
        einsum_op<cotangent_equation(E, 1)> const product{};
        b.cotangent().add(C(relayout_einsum(product, destination<To, 0u>{}, stop_gradient(a), ct, wanted, w)));
      }
    });
    return result;
  }
}

}  // namespace ashlar::ops_detail
