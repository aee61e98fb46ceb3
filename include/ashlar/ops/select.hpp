// SPDX-License-Identifier: BSL-1.0
// select: one of the tensors that are stacked along the first dimension.
#pragma once
#include "ashlar/ops/apply.hpp"
#include "ashlar/ops/number.hpp"

namespace ashlar {

namespace ops_detail {
struct select_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::select: the axis shards the first dimension, of which the operation takes one index; all_gather it, or all_to_all it to another dimension");
  }
};
template <class L>
struct select_dimension {
  static constexpr bool ok = L::rank > 0;
  static constexpr void say() {
    static_assert(ok, "ashlar::select: the tensor is a scalar; it has no dimension of which to take one index");
  }
};

/// A tensor of zeros, except at one index of the first dimension, which holds the cotangent.
struct select_pullback_op : like_operand<select_diagnostics, 1> {
  index_t at;
  static constexpr rule_result rule(layout_value const& ct, layout_value const& x) {
    return {with_reductions_of(ct, x)};
  }
};

struct select_op {
  using diagnostics = select_diagnostics;
  index_t at;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& x) {
    if (x.dim[0].size) return rule_result::wrong(fault::sharded_dimension, x.dim[0][0]);
    rule_result r;
    for (int d = 1; d < x.rank; ++d) r.out.dim[r.out.rank++] = x.dim[d];
    copy_reductions(x, r.out);
    return r;
  }
  constexpr shape extents(layout_value const&, shape const& x) const {
    if (at < 0 || at >= x[0])
      plan_detail::fail_extents("ashlar::select: the index is one of the first dimension's, counted from 0",
                                shape::of(at), x);
    shape y;
    for (int d = 1; d < x.rank; ++d) y.extent[y.rank++] = x[d];
    return y;
  }
  template <int, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const& x) const {
    return apply(select_pullback_op{{}, at}, ct, x);
  }
};

}  // namespace ops_detail

/// x[at]: the tensor at one index of the first dimension. Partial tensors stay partial.
/// Shape: x without its first dimension.
/// Pre: no axis shards the first dimension.
/// Cost: no communication and no copy: the result is in the memory of x. Backward, a tensor of x's size.
/// Error: an index that the dimension lacks throws ashlar::error.
/// Example: select(x<layout<none, "data", "model">>, 2) -> layout<"data", "model">
template <class X>
constexpr auto select(X const& x, ops_detail::index_argument at, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::select_dimension<layout_t<X>>>(
      [&](auto const& t) {
        plan_detail::note_argument_of_whole(t, "index", index_t{at}, w);
        return apply(ops_detail::select_op{at}, t);
      },
      x);
}

}  // namespace ashlar
