// SPDX-License-Identifier: BSL-1.0
// A product type: several values in one object.
#pragma once
#include <utility>

namespace ashlar::meta_detail {

template <int I, class T>
struct factor {
  T value;
};
template <int I, class T>
constexpr T const& get(factor<I, T> const& f) {
  return f.value;
}

template <class Numbers, class... T>
struct factors;
template <int... I, class... T>
struct factors<std::integer_sequence<int, I...>, T...> : factor<I, T>... {
  constexpr explicit factors(T const&... x) : factor<I, T>{x}... {}
  /// Calls f with all values.
  template <class F>
  constexpr decltype(auto) apply_to(F&& f) const {
    return f(static_cast<factor<I, T> const&>(*this).value...);
  }
  template <class F>
  constexpr decltype(auto) apply_to(F&& f) {
    return f(static_cast<factor<I, T>&>(*this).value...);
  }
};

/// A replacement of std::tuple for values that are given once and read together. std::tuple checks dozens of
/// conversions per type, which took 14 % of the compile time of a training program. Templates must deduce the types
/// from `factors<Numbers, T...>`, because nvcc 13 does not see through the alias.
template <class... T>
using product = factors<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...>;

/// Joins two products into a product<T..., U...>.
template <class M, class... T, class N, class... U>
constexpr auto join(factors<M, T...> const& a, factors<N, U...> const& b) {
  return a.apply_to(
      [&](T const&... x) { return b.apply_to([&](U const&... y) { return product<T..., U...>(x..., y...); }); });
}

}  // namespace ashlar::meta_detail
