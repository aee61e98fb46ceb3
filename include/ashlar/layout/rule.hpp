// SPDX-License-Identifier: BSL-1.0
// The answer of a layout rule: the layout of the result, or the fault.
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

}  // namespace layout_detail

}  // namespace ashlar
