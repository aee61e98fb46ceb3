// SPDX-License-Identifier: BSL-1.0
// Several results of one stencil.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <utility>

namespace ashlar {

namespace ops_detail {
template <int I, class T>
struct result_number {
  T value;
};
template <class Numbers, class... T>
struct numbered_results;
template <int... I, class... T>
struct numbered_results<std::integer_sequence<int, I...>, T...> : result_number<I, T>... {};
}  // namespace ops_detail

/// The results of a functor that gives several: stencil makes one field of each.
/// Example: return several(height, momentum);  // then auto [h, p] = stencil(f, ...)
template <class... T>
struct several : ops_detail::numbered_results<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...> {
  ASHLAR_FUNCTION constexpr several(T... x)
      : ops_detail::numbered_results<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...>{{x}...} {}
};

namespace ops_detail {

template <int I, class T>
ASHLAR_FUNCTION constexpr T const& several_at(result_number<I, T> const& r) {
  return r.value;
}
template <class R>
inline constexpr int number_of_results = 0;  // it is no several
template <class... T>
inline constexpr int number_of_results<several<T...>> = static_cast<int>(sizeof...(T));

}  // namespace ops_detail

}  // namespace ashlar
