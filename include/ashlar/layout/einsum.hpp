// The layout rule of einsum.
#pragma once
#include "ashlar/layout/equation.hpp"
#include "ashlar/layout/rule.hpp"

namespace ashlar {

/// How an operation acts on a pending reduction of its operands.
enum class linearity {
  linear,           ///< jointly linear, as a + b: all operands pend the same sums, or none does
  multilinear,      ///< linear in each operand, as a * b: one operand may pend sums
  linear_in_first,  ///< linear in the first operand only, as a / b
  nondecreasing,    ///< commutes with a pending max and min
  nonlinear         ///< nothing may pend
};

namespace detail {

constexpr layout_value const& operand(int o, layout_value const& a, layout_value const& b) { return o == 0 ? a : b; }

// Shards of labels: every operand that has a label splits it by the same axes in the same order, and an axis that
// shards one label shards no other. The result inherits the lists; `summed` are the axes of labels that it lacks.
constexpr ruled labels_rule(einsum_equation const& e, layout_value const& a, layout_value const& b, axis_mask& summed) {
  ruled r;
  r.out.rank = e.out.rank;
  summed = 0;
  for (int o = 0; o < e.operands; ++o)
    for (int d = 0; d < e.in[o].rank; ++d) {
      axis_list const& mine = operand(o, a, b).dim[d];
      for (int q = 0; q < e.operands; ++q) {
        layout_value const& other = operand(q, a, b);
        for (int f = 0; f < e.in[q].rank; ++f)
          if (e.in[q].label[f] != e.in[o].label[d])
            for (int i = 0; i < mine.size; ++i)
              if (other.dim[f].contains(mine[i])) return ruled::wrong(fault::conflict, mine[i]);
      }
      for (int q = 0; q < e.operands; ++q) {
        int const f = e.in[q].find(e.in[o].label[d]);
        if (f < 0) continue;
        axis_list const& theirs = operand(q, a, b).dim[f];
        if (mine == theirs) continue;
        axis_mask const only = mine.mask() & ~theirs.mask();
        if (only) return ruled::wrong(fault::one_sided, first_axis(only));
        if (mine.mask() == theirs.mask()) return ruled::wrong(fault::conflict, mine[0]);
      }
      int const kept = e.out.find(e.in[o].label[d]);
      if (kept >= 0)
        r.out.dim[kept] = mine;
      else
        summed |= mine.mask();
    }
  return r;
}

constexpr bool pends_only(layout_value const& v, int op) { return v.levels == 0 || (v.levels == 1 && v.pending[0].op == op); }

}  // namespace detail

/// The layout of einsum(e, a, b): per axis, independent across axes.
/// A label that shards stays sharded in the result; contracted, it leaves a pending sum; a sum that pends in one operand
/// pends in the result. Every operand that has a label must be sharded alike, and no axis shards two labels: what JAX
/// gathers silently is a fault here.
/// Post: denote(result) == einsum(denote(a), denote(b)); no other sound layout of the operands is refused
/// (tests/static/layout/einsum.cpp proves both by simulation).
/// Source: shared rule 8.6, docs/explanation/rules.md.
constexpr ruled einsum_rule(einsum_equation const& e, layout_value const& a, layout_value const& b = {}) {
  axis_mask summed = 0;
  ruled r = detail::labels_rule(e, a, b, summed);
  if (r.why != fault::fits) return r;
  if (e.operands == 1) {
    // A relabelling commutes with every reduction; a sum only with sums.
    bool const sums = e.out.rank < e.in[0].rank;
    if (sums && !detail::pends_only(a, op_sum)) return ruled::wrong(fault::not_linear, first_axis(a.partial()));
    for (int l = 0; l < a.levels; ++l) r.out.pend(a.pending[l].op, a.pending[l].axes);
  } else {
    axis_mask const pa = a.partial(), pb = b.partial();
    if (pa & pb) return ruled::wrong(fault::two_partials, first_axis(pa & pb));
    if (pa & b.sharding()) return ruled::wrong(fault::partial_and_shard, first_axis(pa & b.sharding()));
    if (pb & a.sharding()) return ruled::wrong(fault::partial_and_shard, first_axis(pb & a.sharding()));
    if (!detail::pends_only(a, op_sum)) return ruled::wrong(fault::not_linear, first_axis(pa));
    if (!detail::pends_only(b, op_sum)) return ruled::wrong(fault::not_linear, first_axis(pb));
    r.out.pend(op_sum, pa | pb);
  }
  r.out.pend(op_sum, summed);
  return r;
}

}  // namespace ashlar
