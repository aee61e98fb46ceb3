// SPDX-License-Identifier: BSL-1.0
// Layouts of cotangents.
#pragma once
#include "ashlar/layout/rule.hpp"

namespace ashlar {

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
