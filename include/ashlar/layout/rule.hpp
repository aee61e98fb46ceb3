// What a layout rule answers: the resulting layout, or what does not fit.
#pragma once
#include "ashlar/layout/value.hpp"

namespace ashlar {

/// Why operands do not fit an operation.
enum class fault {
  fits,
  one_sided,         ///< a label is sharded in one operand and whole in another
  conflict,          ///< an axis shards different labels, or a label is split by axes in another order
  two_partials,      ///< a product of two partial reductions
  partial_and_shard, ///< one operand is partial over an axis that shards another
  partial_and_whole, ///< a sum with a partial reduction in one operand only
  not_linear,        ///< the tensor is partial and the operation does not commute with it
  sharded_dimension, ///< the operation needs a dimension whole
  block_cyclic_dimension    ///< the operation needs neighbours on one rank, where a dimension is block-cyclic
};

/// Post: `out` is meaningful where why == fault::fits; otherwise `axis` is the culprit.
struct rule_result {
  layout_value out{};
  fault why = fault::fits;
  int axis = -1;

  static constexpr rule_result wrong(fault f, int axis) { return {layout_value{}, f, axis}; }
};

constexpr int first_axis(axis_mask m) {
  for (int a = 0; a < max_axes; ++a)
    if (m >> a & 1u) return a;
  return -1;
}

}  // namespace ashlar
