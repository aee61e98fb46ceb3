// What a layout rule answers: the resulting layout, or what does not fit.
#pragma once
#include "ashlar/layout/value.hpp"

namespace ashlar {

/// Why operands do not fit an operation.
enum class fault {
  fits,
  one_sided,         ///< a label is sharded in one operand and whole in another
  conflict,          ///< an axis shards different labels, or a label is split by axes in another order
  two_partials,      ///< a product of two pending reductions
  partial_and_shard, ///< an axis pends in one operand and shards another
  partial_and_whole, ///< a sum with a pending reduction in one operand only
  not_linear,        ///< a reduction pends and the operation does not commute with it
  sharded_dimension, ///< the operation needs a dimension whole
  dealt_dimension    ///< the operation needs neighbours on one rank, where blocks are dealt
};

/// Post: `out` is meaningful where why == fault::fits; otherwise `axis` is the culprit.
struct ruled {
  layout_value out{};
  fault why = fault::fits;
  int axis = -1;

  static constexpr ruled wrong(fault f, int axis) { return {layout_value{}, f, axis}; }
};

constexpr int first_axis(axis_mask m) {
  for (int a = 0; a < max_axes; ++a)
    if (m >> a & 1u) return a;
  return -1;
}

}  // namespace ashlar
