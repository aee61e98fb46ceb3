// SPDX-License-Identifier: BSL-1.0
// The layout rules of elementwise operations, with broadcasting, and of reductions over dimensions.
#pragma once
#include "ashlar/layout/einsum.hpp"

namespace ashlar {

namespace layout_detail {

/// The layout of f(a) for an elementwise function f.
constexpr rule_result elementwise_rule(linearity kind, layout_value const& a) {
  rule_result r;
  r.out = a;
  r.out.drop_partial(a.partial());
  layout_value const* const x[]{&a};
  return partial_rule(kind, r, x, 1);
}

/// The layout of f(a, b...) for an elementwise function f. Operands of fewer dimensions are broadcast over the first
/// dimensions of the others. So it is an einsum whose result has every label, and whose operands end with the same labels.
/// Example: layout<"data", "model"> with layout<"model"> gives layout<"data", "model">
template <class... Value>
constexpr rule_result elementwise_rule(linearity kind, layout_value const& a, layout_value const& b,
                                       Value const&... more) {
  constexpr int operands = 2 + static_cast<int>(sizeof...(Value));
  layout_value const* const x[]{&a, &b, &more...};
  einsum_equation e;
  e.operands = operands;
  for (layout_value const* v : x)
    if (e.out.rank < v->rank) e.out.rank = v->rank;
  for (int d = 0; d < e.out.rank; ++d) e.out.label[d] = static_cast<char>('a' + d);
  for (int o = 0; o < operands; ++o) {
    e.in[o].rank = x[o]->rank;
    for (int d = 0; d < x[o]->rank; ++d) e.in[o].label[d] = e.out.label[e.out.rank - x[o]->rank + d];
  }
  axis_mask summed = 0;
  rule_result const r = labels_rule(e, x, summed);
  if (r.why != fault::fits) return r;
  return partial_rule(kind, r, x, operands);
}

/// The layout of a reduction by `op` over the dimensions in a bit mask. The result lacks these dimensions, and it is
/// partial over the axes that sharded them.
/// Example: the sum over dimension 0 of layout<"data", "model"> is partial<layout<"model">, "data">
constexpr rule_result reduction_rule(int op, unsigned dims, layout_value const& a) {
  if (!partial_only_by(a, op)) return rule_result::wrong(fault::not_linear, first_axis(a.partial()));
  rule_result r;
  axis_mask reduced = a.partial();
  for (int d = 0; d < a.rank; ++d)
    if (dims >> d & 1u)
      reduced |= a.dim[d].mask();
    else
      r.out.dim[r.out.rank++] = a.dim[d];
  r.out.add_partial(op, reduced);
  return r;
}

/// The layout of an operation that keeps all dimensions and requires the dimensions in a mask to be unsharded (softmax
/// over the last).
constexpr rule_result whole_dimensions_rule(unsigned dims, layout_value const& a) {
  for (int d = 0; d < a.rank; ++d)
    if (dims >> d & 1u && a.dim[d].size) return rule_result::wrong(fault::sharded_dimension, a.dim[d][0]);
  return elementwise_rule(linearity::nonlinear, a);
}

}  // namespace layout_detail

}  // namespace ashlar
