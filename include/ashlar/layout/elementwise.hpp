// The layout rules of elementwise operations, with broadcasting, and of reductions over dimensions.
#pragma once
#include "ashlar/layout/einsum.hpp"

namespace ashlar {

namespace layout_detail {

// An elementwise operation is an einsum whose result has every label. The last dimensions of the operands are aligned.
constexpr einsum_equation broadcast_equation(int rank_a, int rank_b) {
  einsum_equation e;
  e.operands = 2;
  e.out.rank = rank_a > rank_b ? rank_a : rank_b;
  for (int d = 0; d < e.out.rank; ++d) e.out.label[d] = static_cast<char>('a' + d);
  int const rank[2]{rank_a, rank_b};
  for (int o = 0; o < 2; ++o) {
    e.in[o].rank = rank[o];
    for (int d = 0; d < rank[o]; ++d) e.in[o].label[d] = e.out.label[e.out.rank - rank[o] + d];
  }
  return e;
}

/// The layout of f(a) for an elementwise function f.
constexpr rule_result elementwise_rule(linearity kind, layout_value const& a) {
  rule_result r;
  r.out = a;
  r.out.drop_partial(a.partial());
  layout_value const* const x[]{&a};
  return partial_rule(kind, r, x, 1);
}

/// The layout of f(a, b) for an elementwise function f. If one operand has fewer dimensions, it is broadcast over the
/// first dimensions of the other.
/// Example: layout<"data", "model"> with layout<"model"> gives layout<"data", "model">
constexpr rule_result elementwise_rule(linearity kind, layout_value const& a, layout_value const& b) {
  einsum_equation const e = broadcast_equation(a.rank, b.rank);
  axis_mask summed = 0;
  rule_result r = labels_rule(e, a, b, summed);
  if (r.why != fault::fits) return r;
  layout_value const* const x[]{&a, &b};
  return partial_rule(kind, r, x, 2);
}

/// The layout of f(a, b, c...) for an elementwise function f of three operands or more. Operands of fewer dimensions are
/// broadcast over the first dimensions of the others.
template <class... Value>
constexpr rule_result elementwise_rule(linearity kind, layout_value const& a, layout_value const& b,
                                       layout_value const& c, Value const&... more) {
  layout_value const* const x[]{&a, &b, &c, &more...};
  constexpr int operands = 3 + static_cast<int>(sizeof...(Value));
  rule_result r;
  r.out = a;
  r.out.drop_partial(a.partial());
  for (int o = 1; o < operands; ++o) {
    axis_mask summed = 0;
    r = labels_rule(broadcast_equation(r.out.rank, x[o]->rank), r.out, *x[o], summed);
    if (r.why != fault::fits) return r;
  }
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
