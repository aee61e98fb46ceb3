// SPDX-License-Identifier: BSL-1.0
// The answer of a layout rule, the rule for operations on partial operands, and the layouts of cotangents.
#pragma once
#include "ashlar/layout/value.hpp"

namespace ashlar {

/// The reason why operands do not fit an operation.
enum class fault {
  fits,
  one_sided,               ///< an axis shards a label in one operand and not in another
  conflict,                ///< an axis shards two labels, or two operands split a label in different orders or blocks
  two_partials,            ///< two factors of a product are partial over the same axis
  partial_and_shard,       ///< one operand is partial over an axis that shards another
  partial_and_whole,       ///< one term of a sum is partial over an axis and another is not
  not_linear,              ///< an operand is partial and the operation does not commute with the reduction
  sharded_dimension,       ///< the operation needs a dimension unsharded
  block_cyclic_dimension,  ///< the operation needs neighbours on one rank, but the dimension is block-cyclic
  two_halos,               ///< two operands have different halos
  halo_holds_sums,         ///< an operand's halo holds sums, and the operation is not linear
  unlike_halo              ///< the result has another layout than the owned cells of the operand with a halo
};

/// The answer of a layout rule.
/// Post: `out` is meaningful if why == fault::fits; otherwise `axis` is the offending axis.
struct rule_result {
  layout_value out{};
  fault why = fault::fits;
  int axis = -1;

  static constexpr rule_result wrong(fault f, int axis) { return {layout_value{}, f, axis}; }
};

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

constexpr int first_axis(axis_mask m) {
  for (int a = 0; a < max_axes; ++a)
    if (m >> a & 1u) return a;
  return -1;
}

/// A fault unless two operands split a dimension alike.
constexpr rule_result split_alike(axis_list const& a, axis_list const& b) {
  if (a == b) return {};
  axis_mask const in_one = a.mask() ^ b.mask();
  return rule_result::wrong(fault::one_sided, first_axis(in_one ? in_one : a.mask()));
}
/// A fault unless they split the first `dims` dimensions alike.
constexpr rule_result split_alike(layout_value const& a, layout_value const& b, int dims) {
  rule_result r;
  for (int d = 0; d < dims && r.why == fault::fits; ++d) r = split_alike(a.dim[d], b.dim[d]);
  return r;
}

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

/// The layout of the cotangent of a value. The cotangent is sharded like the value (S* = S). Over an axis over which
/// the value is partial, the cotangent is replicated (P* = R). Over the axes `replicated` it is a partial sum (R* = P).
/// All other axes that the layout does not name are invariant in both (I* = I).
/// Post: dual(dual(v, r), v.partial()) == v if all partial reductions of v are sums.
/// Example: dual(value of partial<layout<none>, "data">, 0) is the value of layout<none>
constexpr layout_value dual(layout_value const& v, axis_mask replicated) {
  layout_value d = v;
  d.drop_partial(v.partial());
  d.add_partial(layout_detail::op_sum, replicated);
  return d;
}

}  // namespace ashlar
