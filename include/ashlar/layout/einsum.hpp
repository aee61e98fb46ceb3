// SPDX-License-Identifier: BSL-1.0
// The layout rule of einsum.
#pragma once
#include "ashlar/layout/equation.hpp"
#include "ashlar/layout/rule.hpp"

namespace ashlar {

namespace layout_detail {

// The rule for sharded labels. All operands that have a label must shard it by the same axes in the same order. An axis
// that shards one label must not shard another. The result takes over the axis lists. `summed` gets the axes of the
// labels that the result lacks.
constexpr rule_result labels_rule(einsum_equation const& e, layout_value const* const* x, axis_mask& summed) {
  rule_result r;
  r.out.rank = e.out.rank;
  summed = 0;
  for (int o = 0; o < e.operands; ++o)
    for (int d = 0; d < e.in[o].rank; ++d) {
      axis_list const& mine = x[o]->dim[d];
      for (int q = 0; q < e.operands; ++q) {
        layout_value const& other = *x[q];
        for (int f = 0; f < e.in[q].rank; ++f)
          if (e.in[q].label[f] != e.in[o].label[d])
            for (int i = 0; i < mine.size; ++i)
              if (other.dim[f].contains(mine[i])) return rule_result::wrong(fault::conflict, mine[i]);
      }
      for (int q = 0; q < e.operands; ++q) {
        int const f = e.in[q].find(e.in[o].label[d]);
        if (f < 0) continue;
        axis_list const& theirs = x[q]->dim[f];
        if (mine == theirs) continue;
        axis_mask const only = mine.mask() & ~theirs.mask();
        if (axis_mask const terms = only & x[q]->partial())
          return rule_result::wrong(fault::partial_and_shard, first_axis(terms));
        if (only) return rule_result::wrong(fault::one_sided, first_axis(only));
        if (mine.mask() == theirs.mask()) return rule_result::wrong(fault::conflict, mine[0]);
      }
      int const kept = e.out.find(e.in[o].label[d]);
      if (kept >= 0)
        r.out.dim[kept] = mine;
      else
        summed |= mine.mask();
    }
  return r;
}

constexpr rule_result labels_rule(einsum_equation const& e, layout_value const& a, layout_value const& b,
                                  axis_mask& summed) {
  layout_value const* const x[]{&a, &b};
  return labels_rule(e, x, summed);
}

/// The layout of einsum(e, x...). The rule treats each axis on its own.
/// A sharded label stays sharded in the result. If it is contracted, the result is partial over its axes. The result is
/// also partial over the axes over which one operand is. All operands that have a label must shard it alike, and no
/// axis may shard two labels. Otherwise the rule gives a fault (JAX gathers silently).
/// Post: denote(result) == einsum(denote(a), denote(b)), where denote(x) is the global array that the shards of x
/// represent. The rule refuses no other sound layout of the operands (tests/static/layout/einsum.cpp proves both by
/// simulation).
/// Source: docs/explanation/rules.md.
constexpr rule_result einsum_rule(einsum_equation const& e, layout_value const* const* x) {
  axis_mask summed = 0;
  rule_result r = labels_rule(e, x, summed);
  if (r.why != fault::fits) return r;
  // A permutation of dimensions commutes with every reduction; a contraction only with sums.
  if (e.operands == 1 && e.out.rank == e.in[0].rank)
    copy_reductions(*x[0], r.out);
  else
    r = partial_rule(linearity::multilinear, r, x, e.operands);
  if (r.why != fault::fits) return r;
  r.out.add_partial(op_sum, summed);
  return r;
}
constexpr rule_result einsum_rule(einsum_equation const& e, layout_value const& a, layout_value const& b = {}) {
  layout_value const* const x[]{&a, &b};
  return einsum_rule(e, x);
}

}  // namespace layout_detail

}  // namespace ashlar
