// SPDX-License-Identifier: BSL-1.0
// Calls as other libraries write them, with the dimension among the function's arguments: each gets a sentence.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {
// Always false. Its arguments are from a call that names its dimension as an argument of the function, or not at all.
template <class...>
inline constexpr bool names_it_as_a_template_argument = false;
}  // namespace ops_detail

template <tensor X, class... More>
constexpr X sum(X const& x, int, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::sum: dimensions are template arguments; write sum<0>(x), or sum<0>(x, keep_dims)");
  return x;
}
template <tensor X, class... More>
constexpr X(max)(X const& x, int, More const&...) {
  static_assert(
      ops_detail::names_it_as_a_template_argument<X, More...>,
      "ashlar::max: dimensions are template arguments; write max<0>(x), or maximum(x, y) of two tensors or a number");
  return x;
}
template <tensor X, class... More>
constexpr X(min)(X const& x, int, More const&...) {
  static_assert(
      ops_detail::names_it_as_a_template_argument<X, More...>,
      "ashlar::min: dimensions are template arguments; write min<0>(x), or minimum(x, y) of two tensors or a number");
  return x;
}
template <tensor X, class... More>
constexpr X mean(X const& x, int, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::mean: dimensions are template arguments; write mean<0>(x), or mean<0>(x, keep_dims)");
  return x;
}
template <tensor X, class... More>
constexpr X argmax(X const& x, int, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::argmax: dimensions are template arguments; write argmax<0>(x)");
  return x;
}
template <tensor X, class... More>
constexpr X argmin(X const& x, int, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::argmin: dimensions are template arguments; write argmin<0>(x)");
  return x;
}
template <tensor X, class... More>
constexpr X softmax(X const& x, int, More const&...) {
  static_assert(
      ops_detail::names_it_as_a_template_argument<X, More...>,
      "ashlar::softmax: the dimension is a template argument; write softmax<0>(x), or softmax(x) for the last one");
  return x;
}
template <tensor X, class... More>
constexpr X log_softmax(X const& x, int, More const&...) {
  static_assert(
      ops_detail::names_it_as_a_template_argument<X, More...>,
      "ashlar::log_softmax: the dimension is a template argument; write log_softmax<0>(x), or log_softmax(x) for the last one");
  return x;
}
template <tensor X, class... More>
constexpr X cumsum(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::cumsum: the dimension is a template argument; write cumsum<0>(x)");
  return x;
}
template <tensor X, class... More>
constexpr X sort(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::sort: the dimension is a template argument; write sort<0>(x)");
  return x;
}
template <tensor X, class... More>
constexpr X top_k(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::top_k: the dimension is a template argument; write top_k<0>(x, k)");
  return x;
}
template <tensor X, class... More>
constexpr X take_along(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::take_along: the dimension is a template argument; write take_along<0>(x, index)");
  return x;
}
template <tensor X, class... More>
constexpr X concatenate(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::concatenate: the dimension is a template argument; write concatenate<0>(x, y)");
  return x;
}
template <tensor X, class... More>
constexpr X shift(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::shift: the dimension is a template argument; write shift<0>(x, n)");
  return x;
}
template <tensor X, class... More>
constexpr X roll(X const& x, More const&...) {
  static_assert(ops_detail::names_it_as_a_template_argument<X, More...>,
                "ashlar::roll: the dimension is a template argument; write roll<0>(x, by)");
  return x;
}

}  // namespace ashlar
