// SPDX-License-Identifier: BSL-1.0
// Products of complex and real operands of one precision: the real ones become complex.
#pragma once
#include "ashlar/ops/complex.hpp"

namespace ashlar::ops_detail {

template <class T, class... Rest>
struct first_complex_of {
  using type = T;
};
template <class T, class U, class... Rest>
struct first_complex_of<T, U, Rest...> : first_complex_of<std::conditional_t<is_complex_v<T>, T, U>, Rest...> {};
/// The element type of a product of complex and real operands.
template <class... X>
using complex_among_t = typename first_complex_of<element_t<X>...>::type;

/// True if some operands are of one complex type, and all others of its real type.
template <class... X>
inline constexpr bool mixes_complex_and_real = (complex_of_real<complex_among_t<X...>, element_t<X>> || ...) &&
                                               ((std::is_same_v<complex_among_t<X...>, element_t<X>> ||
                                                 complex_of_real<complex_among_t<X...>, element_t<X>>)&&...);

/// A real operand as an expression of complex elements, which is stored once. A complex operand is returned itself. The
/// cotangent of a real operand is the real part, as in an elementwise product.
template <class C, class X>
constexpr decltype(auto) as_complex_operand(X const& x) {
  if constexpr (std::is_same_v<element_t<X>, C>)
    return (x);
  else
    return elementwise(fn::as_complex<C, false>{}, x);
}

/// Calls f with the operands, of which the real ones have become complex.
template <class F, class... X>
constexpr auto with_complex_operands(F const& f, X const&... x) {
  return f(as_complex_operand<complex_among_t<X...>>(x)...);
}

}  // namespace ashlar::ops_detail
