// SPDX-License-Identifier: BSL-1.0
// Several results of one stencil.
#pragma once
#include "ashlar/meta/product.hpp"

namespace ashlar {

/// The results of a functor that gives several: stencil makes one field of each.
/// Example: return several(height, momentum);  // then auto [h, p] = stencil(f, ...)
template <class... T>
struct several : meta_detail::product<T...> {
  ASHLAR_FUNCTION constexpr several(T... x) : meta_detail::product<T...>(x...) {}
};

namespace ops_detail {

template <class R>
inline constexpr int number_of_results = 0;  // it is no several
template <class... T>
inline constexpr int number_of_results<several<T...>> = static_cast<int>(sizeof...(T));

}  // namespace ops_detail

}  // namespace ashlar
