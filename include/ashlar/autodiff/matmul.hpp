// SPDX-License-Identifier: BSL-1.0
// Derivatives of products of tensors in any layouts.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/products/matmul.hpp"

namespace ashlar::ops_detail {

/// The product of active tensors. Its pullbacks are products into the duals of the operands' layouts.
template <equation E, class To, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto multiply(product_into<E, To> into, A const& a, B const& b, call_site const& w) {
  auto const pull = [a, b, w](auto const& result) {
    auto const& ct = result.cotangent().value();
    pull_to(a, [&]<class C>(destination<C, 0u>) {
      return multiply(product_into<cotangent_equation_of<E, 0>, C>{}, ct, stop_gradient(b), w);
    });
    pull_to(b, [&]<class C>(destination<C, 0u>) {
      return multiply(product_into<cotangent_equation_of<E, 1>, C>{}, stop_gradient(a), ct, w);
    });
  };
  return autodiff_detail::record<0u>(multiply(into, stop_gradient(a), stop_gradient(b), w), pull, a, b);
}

}  // namespace ashlar::ops_detail
