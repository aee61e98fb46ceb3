// SPDX-License-Identifier: BSL-1.0
// The rule for operations on partial operands, for any number of operands.
#pragma once
#include "ashlar/layout/rule.hpp"

namespace ashlar {

/// The reductions with which an operation commutes. They decide which operands may be partial.
enum class linearity {
  linear,           ///< jointly linear, as a + b: all operands are partial sums over the same axes, or none is
  multilinear,      ///< linear in each operand, as a * b: at most one operand is a partial sum over an axis
  linear_in_first,  ///< linear in the first operand only, as a / b: only the first may be a partial sum
  linear_in_rest,   ///< jointly linear in all operands but the first, as where(mask, a, b)
  nondecreasing,    ///< commutes with a partial max and min
  nonlinear         ///< no operand may be partial
};

namespace layout_detail {

constexpr bool partial_only_by(layout_value const& v, int op) {
  return v.levels == 0 || (v.levels == 1 && v.reductions[0].op == op);
}

/// True if a function of one operand commutes with the reduction `op`.
constexpr bool commutes(linearity kind, int op) {
  if (kind == linearity::nondecreasing) return op == op_max || op == op_min;
  return kind != linearity::nonlinear && kind != linearity::linear_in_rest && op == op_sum;
}

/// Makes `to` partial as `from` is, too.
constexpr void copy_reductions(layout_value const& from, layout_value& to) {
  for (int l = 0; l < from.levels; ++l) to.add_partial(from.reductions[l].op, from.reductions[l].axes);
}
/// The sharding of `like`, with the reductions of `from`: the layout of a cotangent `from` that becomes one of `like`.
constexpr layout_value with_reductions_of(layout_value const& from, layout_value like) {
  like.drop_partial(like.partial());
  copy_reductions(from, like);
  return like;
}

/// Adds the reductions of partial operands to the layout of the result.
/// Pre: r.out holds the sharding of the result and no reduction.
/// Post: a fault names an axis over which an operand is partial.
constexpr rule_result partial_rule(linearity kind, rule_result r, layout_value const* const* x, int operands) {
  axis_mask partial = 0, in_several = 0, in_all = ~axis_mask{};
  int const first_term = kind == linearity::linear_in_rest ? 1 : 0;
  for (int o = 0; o < operands; ++o) {
    for (int q = 0; q < operands; ++q)
      if (axis_mask const both = x[o]->partial() & x[q]->sharding())
        return rule_result::wrong(fault::partial_and_shard, first_axis(both));
    in_several |= partial & x[o]->partial();
    partial |= x[o]->partial();
    if (o >= first_term) in_all &= x[o]->partial();
  }
  for (int o = 0; o < first_term; ++o)
    if (axis_mask const p = x[o]->partial()) return rule_result::wrong(fault::not_linear, first_axis(p));
  if ((kind == linearity::linear || kind == linearity::linear_in_rest) && partial != in_all)
    return rule_result::wrong(fault::partial_and_whole, first_axis(partial & ~in_all));
  if (kind == linearity::multilinear && in_several)
    return rule_result::wrong(fault::two_partials, first_axis(in_several));
  for (int o = 0; o < operands; ++o)
    for (int l = 0; l < x[o]->levels; ++l) {
      auto const& [op, axes] = x[o]->reductions[l];
      bool const passes =
          operands == 1
              ? commutes(kind, op)
              : op == op_sum && (kind == linearity::linear || kind == linearity::multilinear ||
                                 kind == linearity::linear_in_rest || (kind == linearity::linear_in_first && o == 0));
      if (!passes) return rule_result::wrong(fault::not_linear, first_axis(axes));
    }
  if (operands == 1)
    copy_reductions(*x[0], r.out);
  else
    r.out.add_partial(op_sum, partial);
  return r;
}

}  // namespace layout_detail

}  // namespace ashlar
