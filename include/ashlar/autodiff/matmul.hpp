// SPDX-License-Identifier: BSL-1.0
// Derivatives of products of tensors in any layouts.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/products/matmul.hpp"

namespace ashlar::ops_detail {

/// The cotangent of operand I of a product, in the layout of the operand's cotangent.
template <equation E, int I, class Operand, class Ct, class Other>
constexpr void pull_back_product(Operand const& x, Ct const& ct, Other const& other, call_site const& w) {
  if constexpr (active_value<Operand>) {
    using C = typename Operand::cotangent_type;
    using Back = product_into<cotangent_equation_of<E, I>, layout_t<C>>;
    if constexpr (I == 0)
      x.cotangent().add(C(multiply(Back{}, ct, stop_gradient(other), w)));
    else
      x.cotangent().add(C(multiply(Back{}, stop_gradient(other), ct, w)));
  }
}

/// The product of active tensors. Its pullbacks are products into the duals of the operands' layouts.
template <equation E, class To, tensor A, tensor B>
  requires(active_value<A> || active_value<B>)
constexpr auto multiply(product_into<E, To> into, A const& a, B const& b, call_site const& w) {
  auto const y = multiply(into, stop_gradient(a), stop_gradient(b), w);
  active<std::remove_cvref_t<decltype(y)>, 0u> const result(autodiff_detail::tape_of(a, b), y);
  result.recording_tape().push([result, a, b, w] {
    if (!result.cotangent().is_set()) return;
    pull_back_product<E, 0>(a, result.cotangent().value(), b, w);
    pull_back_product<E, 1>(b, result.cotangent().value(), a, w);
  });
  return result;
}

}  // namespace ashlar::ops_detail
