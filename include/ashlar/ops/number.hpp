// SPDX-License-Identifier: BSL-1.0
// Numbers beside tensors: how a number of any type becomes an element.
#pragma once
#include "ashlar/plan/extent_errors.hpp"
#include <concepts>
#include <limits>
#include <type_traits>

namespace ashlar::ops_detail {

// The type of a complex number's parts, or the type itself.
template <class T>
struct component_of {
  using type = T;
};
template <class T>
  requires requires { typename T::value_type; }
struct component_of<T> {
  using type = typename T::value_type;
};
template <class T>
using component_t = typename component_of<T>::type;

/// True for a complex type and the real type of its parts.
template <class C, class R>
concept complex_of_real = std::floating_point<R> && !std::same_as<C, R> && std::same_as<component_t<C>, R>;

/// A number whose value is an integer. Unary plus makes an int of bool, of a character and of an enumerator.
template <class S>
concept whole_number_type = requires(S const& s) { requires std::is_integral_v<decltype(+s)>; };

/// The parameter of functions that take an index, a count or a number of places.
/// Error: a number that is no integer does not compile.
class index_argument {
 public:
  template <class S>
    requires std::is_convertible_v<S const&, index_t>
  constexpr index_argument(S const& n) : value_(static_cast<index_t>(n)) {
    static_assert(
        whole_number_type<S>,
        "ashlar::index_t: an index, a count or a number of places is an integer; write static_cast<index_t>(n)");
  }
  constexpr operator index_t() const { return value_; }

 private:
  index_t value_;
};

template <class T, class S>
inline constexpr bool complex_number_among_reals = std::is_arithmetic_v<T> && complex_of_real<S, component_t<S>>;
template <class T, class S>
inline constexpr bool floating_number_among_integers =
    std::is_integral_v<T> && !whole_number_type<S> && !complex_number_among_reals<T, S>;

/// The parameter of functions and operators that take a number beside elements of type T. If Made, the number fills a tensor
/// of them. A real number beside floating or complex elements takes their precision.
/// Error: a floating number does not become an integer or bool, nor a complex one a real one: that does not compile. An
/// integer that T cannot hold throws ashlar::error where an element is needed. A comparison needs none.
template <class T, bool Made = false>
class number_for {
 public:
  template <class S>
    requires(!std::same_as<S, number_for> && (std::is_convertible_v<S const&, T> || complex_number_among_reals<T, S>))
  constexpr number_for(S const& s) {
    constexpr bool fraction = floating_number_among_integers<T, S>, imaginary = complex_number_among_reals<T, S>;
    static_assert(
        Made || !fraction,
        "ashlar::elementwise: the number is floating, and the elements are integers or bool; write cast<double>(x), as in cast<double>(x) * 0.5");
    static_assert(
        Made || !imaginary,
        "ashlar::elementwise: the number is complex, and the elements are real; write cast<Kokkos::complex<double>>(x), as in cast<Kokkos::complex<double>>(x) * z");
    static_assert(
        !Made || (!fraction && !imaginary),
        "ashlar::full: the number is floating and the elements are integers or bool, or it is complex and they are real; make a tensor of the number's type");
    if constexpr (!fraction && !imaginary) {  // so that the sentence is the only error
      if constexpr (std::is_arithmetic_v<S> && complex_of_real<T, component_t<T>>)
        element_ = static_cast<component_t<T>>(s);
      else
        element_ = static_cast<T>(s);
      if constexpr (std::is_integral_v<T>) {
        given_ = whole_number(+s);
        outside_ = given_ < least() ? -1 : most() < given_ ? 1 : 0;
      }
    } else {
      element_ = static_cast<T>(1);  // not 0, which would be another error as a divisor
    }
  }

  /// The number as an element.
  constexpr T element() const {
    // Compilers print the line on which a call begins.
    // clang-format off
    if constexpr (std::is_integral_v<T>) {
      if (Made && outside_ != 0)
        plan_detail::fail_number("ashlar::full: the elements cannot hold the number; make a tensor of a wider type",
                                 given_, least(), most());
      if (outside_ != 0)
        plan_detail::fail_number("ashlar::elementwise: the elements cannot hold the number; write cast<T>(x) with a wider T",
                                 given_, least(), most());
    }
    // clang-format on
    return element_;
  }
  /// Where the number is: among the elements (0), below all of them (-1) or above (1). The next function needs 0.
  constexpr int outside() const { return outside_; }
  constexpr T element_if_inside() const { return element_; }

 private:
  using whole_number = plan_detail::whole_number;
  static constexpr whole_number least() { return whole_number((std::numeric_limits<T>::min)()); }
  static constexpr whole_number most() { return whole_number((std::numeric_limits<T>::max)()); }

  T element_{};
  int outside_ = 0;
  whole_number given_;
};

}  // namespace ashlar::ops_detail
