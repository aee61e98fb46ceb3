// The layout rules of elementwise operations, with broadcasting, and of reductions over dimensions.
#pragma once
#include "ashlar/layout/einsum.hpp"

namespace ashlar {

namespace detail {

// Elementwise operations are einsums whose result has every label; dimensions are aligned at the last.
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

constexpr bool same_pending(layout_value const& a, layout_value const& b) {
  if (a.levels != b.levels) return false;
  for (int l = 0; l < a.levels; ++l)
    if (!(a.pending[l] == b.pending[l])) return false;
  return true;
}

}  // namespace detail

/// The layout of f(a) where f acts on each element.
constexpr ruled elementwise_rule(linearity kind, layout_value const& a) {
  ruled r;
  r.out = a;
  for (int l = 0; l < a.levels; ++l) {
    int const op = a.pending[l].op;
    bool const commutes = kind == linearity::nondecreasing ? op == op_max || op == op_min
                                                           : kind != linearity::nonlinear && op == op_sum;
    if (!commutes) return ruled::wrong(fault::not_linear, first_axis(a.pending[l].axes));
  }
  return r;
}

/// The layout of f(a, b) where f acts on each element and a dimension that one operand lacks in front is broadcast.
/// Example: layout<"data", "model"> with layout<"model"> gives layout<"data", "model">
constexpr ruled elementwise_rule(linearity kind, layout_value const& a, layout_value const& b) {
  einsum_equation const e = detail::broadcast_equation(a.rank, b.rank);
  axis_mask summed = 0;
  ruled r = detail::labels_rule(e, a, b, summed);
  if (r.why != fault::fits) return r;
  axis_mask const pa = a.partial(), pb = b.partial();
  if (pa & b.sharding()) return ruled::wrong(fault::partial_and_shard, first_axis(pa & b.sharding()));
  if (pb & a.sharding()) return ruled::wrong(fault::partial_and_shard, first_axis(pb & a.sharding()));
  if (!(pa | pb)) return r;
  int const axis = first_axis(pa != pb && (pa ^ pb) ? pa ^ pb : pa | pb);
  switch (kind) {
    case linearity::linear:
      if (!detail::same_pending(a, b)) return ruled::wrong(fault::partial_and_whole, axis);
      if (!detail::pends_only(a, op_sum)) return ruled::wrong(fault::not_linear, axis);
      break;
    case linearity::multilinear:
      if (pa & pb) return ruled::wrong(fault::two_partials, first_axis(pa & pb));
      if (!detail::pends_only(a, op_sum) || !detail::pends_only(b, op_sum)) return ruled::wrong(fault::not_linear, axis);
      r.out.pend(op_sum, pa | pb);
      return r;
    case linearity::linear_in_first:
      if (pb || !detail::pends_only(a, op_sum)) return ruled::wrong(fault::not_linear, axis);
      break;
    case linearity::nondecreasing:
    case linearity::nonlinear: return ruled::wrong(fault::not_linear, axis);
  }
  for (int l = 0; l < a.levels; ++l) r.out.pend(a.pending[l].op, a.pending[l].axes);
  return r;
}

/// The layout of a reduction of kind `op` over the dimensions of a bit mask, which the result lacks. A dimension that
/// axes shard leaves the reduction pending over them.
/// Example: the sum over dimension 0 of layout<"data", "model"> is partial<layout<"model">, "data">
constexpr ruled reduction_rule(int op, unsigned dims, layout_value const& a) {
  if (!detail::pends_only(a, op)) return ruled::wrong(fault::not_linear, first_axis(a.partial()));
  ruled r;
  axis_mask reduced = a.partial();
  for (int d = 0; d < a.rank; ++d)
    if (dims >> d & 1u)
      reduced |= a.dim[d].mask();
    else
      r.out.dim[r.out.rank++] = a.dim[d];
  r.out.pend(op, reduced);
  return r;
}

/// The layout of an operation that needs the dimensions of a mask whole and keeps all dimensions (softmax over the last).
constexpr ruled whole_dimensions_rule(unsigned dims, layout_value const& a) {
  for (int d = 0; d < a.rank; ++d)
    if (dims >> d & 1u && a.dim[d].size) return ruled::wrong(fault::sharded_dimension, a.dim[d][0]);
  return elementwise_rule(linearity::nonlinear, a);
}

}  // namespace ashlar
