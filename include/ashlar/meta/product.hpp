// SPDX-License-Identifier: BSL-1.0
// A product type: several values in one object.
#pragma once
#include "ashlar/config.hpp"
#include <utility>

namespace ashlar::meta_detail {

template <int I, class T>
struct factor {
  T value;
};
template <int I, class T>
ASHLAR_FUNCTION constexpr T const& get(factor<I, T> const& f) {
  return f.value;
}
template <int I, class T>
ASHLAR_FUNCTION constexpr T& get(factor<I, T>& f) {
  return f.value;
}

template <class Numbers, class... T>
struct factors;
template <int... I, class... T>
struct factors<std::integer_sequence<int, I...>, T...> : factor<I, T>... {
  constexpr factors() = default;
  ASHLAR_FUNCTION constexpr explicit factors(T const&... x)
    requires(sizeof...(T) > 0)
      : factor<I, T>{x}... {}
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

/// A replacement of std::tuple for values that are read together, in kernels of devices too. std::tuple checks dozens of
/// conversions per type, which took 14 % of the compile time of a training program. Templates must deduce the types
/// from `factors<Numbers, T...>`, because nvcc 13 does not see through the alias.
template <class... T>
using product = factors<std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>, T...>;

/// Joins products: product<T...> and product<U...> give product<T..., U...>.
template <class M, class... T>
constexpr factors<M, T...> const& join(factors<M, T...> const& a) {
  return a;
}
template <class M, class... T, class N, class... U, class... Rest>
constexpr auto join(factors<M, T...> const& a, factors<N, U...> const& b, Rest const&... rest) {
  return join(a.apply_to([&](T const&... x) {
    return b.apply_to([&](U const&... y) { return product<T..., U...>(x..., y...); });
  }),
              rest...);
}

}  // namespace ashlar::meta_detail
