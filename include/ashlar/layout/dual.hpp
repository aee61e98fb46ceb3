// Layouts of cotangents.
#pragma once
#include "ashlar/layout/rule.hpp"

namespace ashlar {

/// The layout of the cotangent of a value: sharded alike (S* = S); whole where the result is partial (P* = R); a partial sum over
/// the axes over which the value is replicated as opposed to invariant (R* = P, I* = I).
/// Post: dual(dual(v, r), v.partial()) == v for a layout whose partial reductions are sums.
constexpr layout_value dual(layout_value const& v, axis_mask replicated) {
  layout_value d = v;
  d.drop_partial(v.partial());
  d.add_partial(op_sum, replicated);
  return d;
}

}  // namespace ashlar
