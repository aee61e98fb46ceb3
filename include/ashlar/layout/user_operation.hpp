// The layout rule of operations that users write: labels, some of them whole.
#pragma once
#include "ashlar/layout/elementwise.hpp"

namespace ashlar {

/// The layout of an operation by an equation, whose `whole` labels no axis may shard, and which acts on pending reductions
/// as `kind` says. All other labels stand in the result; operands that have one of them are sharded alike.
/// Example: "bsd->bsd" with whole "d" keeps layout<"data", "seq", none> and refuses layout<none, none, "model">
constexpr ruled user_rule(einsum_equation const& e, einsum_equation::labels const& whole, linearity kind, layout_value const* const* x) {
  for (int o = 0; o < e.operands; ++o) {
    if (x[o]->rank != e.in[o].rank)
      throw "ashlar::user_operation: an operand has another number of dimensions than the equation gives it; one letter a dimension";
    for (int d = 0; d < e.in[o].rank; ++d)
      if (whole.find(e.in[o].label[d]) >= 0 && x[o]->dim[d].size) return ruled::wrong(fault::sharded_dimension, x[o]->dim[d][0]);
  }
  ruled r;
  r.out.rank = e.out.rank;
  axis_mask summed = 0;  // none: labels that the result lacks are whole
  for (int o = 0; o < e.operands; ++o)
    for (int q = e.operands == 1 ? o : o + 1; q < e.operands; ++q) {
      einsum_equation const pair{2, {e.in[o], e.in[q]}, e.out};
      ruled const of_pair = detail::labels_rule(pair, *x[o], *x[q], summed);
      if (of_pair.why != fault::fits) return of_pair;
      for (int d = 0; d < r.out.rank; ++d)
        if (of_pair.out.dim[d].size) r.out.dim[d] = of_pair.out.dim[d];
    }
  axis_mask pending = 0;
  for (int o = 0; o < e.operands; ++o) {
    layout_value const& v = *x[o];
    for (int q = 0; q < e.operands; ++q)
      if (axis_mask const both = v.partial() & x[q]->sharding()) return ruled::wrong(fault::partial_and_shard, first_axis(both));
    if (!v.levels) continue;
    if (e.operands == 1) {
      ruled const alone = elementwise_rule(kind, v);
      if (alone.why != fault::fits) return alone;
    } else if (!detail::pends_only(v, op_sum) || kind == linearity::nondecreasing || kind == linearity::nonlinear ||
               (kind == linearity::linear_in_first && o > 0)) {
      return ruled::wrong(fault::not_linear, first_axis(v.partial()));
    }
    if (kind == linearity::multilinear && (pending & v.partial())) return ruled::wrong(fault::two_partials, first_axis(pending & v.partial()));
    pending |= v.partial();
  }
  if (kind == linearity::linear)
    for (int o = 0; o < e.operands; ++o)
      if (x[o]->partial() != pending) return ruled::wrong(fault::partial_and_whole, first_axis(pending & ~x[o]->partial()));
  if (e.operands == 1)
    for (int l = 0; l < x[0]->levels; ++l) r.out.pend(x[0]->pending[l].op, x[0]->pending[l].axes);
  else
    r.out.pend(op_sum, pending);
  return r;
}

}  // namespace ashlar
