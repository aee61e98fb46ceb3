// SPDX-License-Identifier: BSL-1.0
// Types and constants that a number at run time chooses.
#pragma once
#include <type_traits>
#include <utility>

namespace ashlar {

/// Calls f(std::type_identity<X>{}) and returns its result. X is type number i of the list, or the last one if i is
/// larger.
/// Pre: f returns the same type for each.
/// Example: choose_type<float, double>(i, [&]<class T>(std::type_identity<T>) { return train<T>(m); })
template <class First, class... Rest, class F>
constexpr auto choose_type(int i, F&& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (i > 0) return choose_type<Rest...>(i - 1, std::forward<F>(f));
  return f(std::type_identity<First>{});
}

/// Calls f(std::integral_constant<decltype(X), X>{}) for constant number i of the list, else as choose_type.
/// Example: choose_value<false, true>(i, [&](auto padded) { return train<padded.value>(m); })
template <auto First, auto... Rest, class F>
constexpr auto choose_value(int i, F&& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (i > 0) return choose_value<Rest...>(i - 1, std::forward<F>(f));
  return f(std::integral_constant<decltype(First), First>{});
}

}  // namespace ashlar
