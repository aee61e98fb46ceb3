// SPDX-License-Identifier: BSL-1.0
// take_along: elements by an index for each line.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"
#include "ashlar/ops/arrays/gather.hpp"

namespace ashlar {

namespace ops_detail {

struct take_along_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::take_along: the axis shards the dimension along which elements are taken; all_gather it, or all_to_all the axis to another dimension");
    static_assert(!breaks<F, fault::one_sided, Axis, L...>::value,
                  "ashlar::take_along: the axis shards the index otherwise than the tensor; redistribute one of them");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::take_along: the index is partial, or the tensor by another reduction than the sum; all_reduce it first");
  }
};

// The layout of elements of x by an index, or of their sums at an index.
constexpr rule_result along_rule(int dim, bool own, layout_value const& x, layout_value const& index) {
  if (rule_result const alike = split_alike(x, index, x.rank); alike.why != fault::fits) return alike;
  if (!own && x.dim[dim].size) return rule_result::wrong(fault::sharded_dimension, x.dim[dim][0]);
  if (index.levels) return rule_result::wrong(fault::not_linear, first_axis(index.partial()));
  return elementwise_rule(linearity::linear, x);
}

template <int Dim, bool Own = false>
struct take_along_op;

/// Sums elements at an index in each line, whose extent is n: the transpose of take_along. If Own, each index is one of
/// the rank's own part of the dimension.
template <int Dim, bool Own = false>
struct add_along_op {
  using diagnostics = take_along_diagnostics;
  index_t n;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& index) {
    return along_rule(Dim, Own, x, index);
  }
  constexpr shape extents(layout_value const&, shape const& x, shape const&) const {
    shape y = x;
    y[Dim] = n;
    return y;
  }
  template <int I, class Ct, class Y, class X, class Index>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, X const&, Index const& index) {
    return apply(take_along_op<Dim, Own>{}, ct, index);
  }
};
template <int Dim, bool Own>
struct take_along_op {
  using diagnostics = take_along_diagnostics;
  static constexpr plan_detail::index_words words{"ashlar::take_along: index ", " elements of a line; clamp the index"};
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& index) {
    return along_rule(Dim, Own, x, index);
  }
  static constexpr shape extents(layout_value const&, shape const& x, shape const& index) {
    shape y = x;
    y[Dim] = index[Dim];
    if (!(y == index))
      plan_detail::fail_extents("ashlar::take_along: the index has the extents of the tensor in the other dimensions",
                                x, index);
    return y;
  }
  template <int I, class Ct, class Y, class X, class Index>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x, Index const& index) {
    return apply(add_along_op<Dim, Own>{x.extents()[Dim]}, ct, index);
  }
};

template <int Dim, class X, class Index>
struct take_along_operands {
  static constexpr bool dimension = are_dimensions<rank_v<X>, Dim>, rank = rank_v<X> == rank_v<Index>,
                        index = has_indices<Index>, ok = dimension && rank && index;
  static constexpr void say() {
    static_assert(dimension,
                  "ashlar::take_along: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(!dimension || rank,
                  "ashlar::take_along: the index has another number of dimensions than the tensor; expand it");
    static_assert(!dimension || !rank || index,
                  "ashlar::take_along: the elements of the index are no integers; write cast<int>(index)");
  }
};

}  // namespace ops_detail

/// The elements at an index along a dimension: NumPy's take_along_axis.
/// Shape: the extents of the index, which has the extents and the layout of x in all other dimensions. A partial sum
///   stays partial.
/// Pre: 0 <= index < extent of dimension Dim, which no axis shards.
/// Cost: no communication. The derivative adds the cotangent at the index, so that equal indices sum up.
/// Error: layouts that do not fit do not compile; extents that do not fit throw ashlar::error, and so does an index
///   outside, as in take.
/// Example: take_along<1>(x, argsort<1>(x)) is sort<1>(x)
template <int Dim, tensor X, tensor Index>
constexpr auto take_along(X const& x, Index const& index, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::take_along_operands<Dim, X, Index>>(
      [](auto const& y, auto const& i) {
        return apply(ops_detail::take_along_op<plan_detail::dimension_of<X, Dim>>{}, y, i);
      },
      x, stop_gradient(index));
}

}  // namespace ashlar
