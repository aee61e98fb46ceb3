// The layout rule of einsum.
#pragma once
#include "ashlar/layout/equation.hpp"
#include "ashlar/layout/linearity.hpp"

namespace ashlar {

namespace detail {

constexpr layout_value const& operand(int o, layout_value const& a, layout_value const& b) { return o == 0 ? a : b; }

// Shards of labels: every operand that has a label splits it by the same axes in the same order, and an axis that
// shards one label shards no other. The result inherits the lists; `summed` are the axes of labels that it lacks.
constexpr rule_result labels_rule(einsum_equation const& e, layout_value const& a, layout_value const& b, axis_mask& summed) {
  rule_result r;
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
              if (other.dim[f].contains(mine[i])) return rule_result::wrong(fault::conflict, mine[i]);
      }
      for (int q = 0; q < e.operands; ++q) {
        int const f = e.in[q].find(e.in[o].label[d]);
        if (f < 0) continue;
        axis_list const& theirs = operand(q, a, b).dim[f];
        if (mine == theirs) continue;
        axis_mask const only = mine.mask() & ~theirs.mask();
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

}  // namespace detail

/// The layout of einsum(e, a, b): per axis, independent across axes.
/// A label that shards stays sharded in the result; contracted, the result is partial over its axes. Axes over which one operand
/// is partial stay partial in the result. Every operand that has a label must be sharded alike, and no axis shards two labels: what JAX
/// gathers silently is a fault here.
/// Post: denote(result) == einsum(denote(a), denote(b)); no other sound layout of the operands is refused
/// (tests/static/layout/einsum.cpp proves both by simulation).
/// Source: shared rule 8.6, docs/explanation/rules.md.
constexpr rule_result einsum_rule(einsum_equation const& e, layout_value const& a, layout_value const& b = {}) {
  axis_mask summed = 0;
  rule_result r = detail::labels_rule(e, a, b, summed);
  if (r.why != fault::fits) return r;
  layout_value const* const x[]{&a, &b};
  // A relabelling commutes with every reduction; a sum only with sums.
  if (e.operands == 1 && e.out.rank == e.in[0].rank)
    detail::copy_reductions(a, r.out);
  else
    r = detail::partial_rule(linearity::multilinear, r, x, e.operands);
  if (r.why != fault::fits) return r;
  r.out.add_partial(op_sum, summed);
  return r;
}

}  // namespace ashlar
