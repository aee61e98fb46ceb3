// The layout rules of normalisations.
#pragma once
#include "ashlar/layout/elementwise.hpp"

namespace ashlar {

/// The layout of x normalised over its dimensions of a mask, with factors and offsets that have those dimensions alone:
/// that of x. The dimensions are whole, the factors are on every rank.
constexpr ruled normalize_rule(unsigned dims, layout_value const& x, layout_value const& factor) {
  if (factor.levels) return ruled::wrong(fault::not_linear, first_axis(factor.partial()));
  if (axis_mask const m = factor.sharding()) return ruled::wrong(fault::sharded_dimension, first_axis(m));
  return whole_dimensions_rule(dims, x);
}

/// What the last dimension of `x` and of `of` share: a channel lies where its numbers lie. Nothing pends in `of`.
constexpr ruled channels_rule(layout_value const& x, layout_value const& of) {
  if (of.levels) return ruled::wrong(fault::not_linear, first_axis(of.partial()));
  axis_list const &a = x.dim[x.rank - 1], &b = of.dim[of.rank - 1];
  if (a != b) return ruled::wrong(fault::one_sided, first_axis(a.mask() == b.mask() ? a.mask() : a.mask() ^ b.mask()));
  ruled r;
  r.out = x;
  return r;
}

/// The layout of `kinds` sums a channel over all other dimensions of x: they pend over the axes that shard those.
/// Example: layout<"data", none, none, "model"> gives partial<layout<none, "model">, "data">
constexpr ruled channel_sums_rule(layout_value const& x) {
  ruled const sums = reduction_rule(op_sum, (1u << (x.rank - 1)) - 1u, x);
  if (sums.why != fault::fits) return sums;
  ruled r;
  r.out.rank = 2;
  r.out.dim[1] = x.dim[x.rank - 1];
  r.out.pend(op_sum, sums.out.partial());
  return r;
}

/// The same kept apart: a leading dimension numbers the ranks that have different elements of a channel.
/// Example: layout<"data", none, none, "model"> gives layout<"data", none, "model">
constexpr ruled channel_sums_per_shard_rule(layout_value const& x) {
  ruled r;
  if (x.levels) return ruled::wrong(fault::not_linear, first_axis(x.partial()));
  r.out.rank = 3;
  for (int d = 0; d + 1 < x.rank; ++d)
    for (int i = 0; i < x.dim[d].size; ++i) r.out.dim[0].push(x.dim[d][i]);
  r.out.dim[2] = x.dim[x.rank - 1];
  return r;
}

}  // namespace ashlar
