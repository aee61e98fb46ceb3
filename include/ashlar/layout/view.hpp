// The layout rules of joining and cutting dimensions.
#pragma once
#include "ashlar/layout/rule.hpp"

namespace ashlar {

/// The layout of dimensions first..last joined into one. Only the major-most may be sharded: a split of a minor one
/// would be strided in the joined dimension. Needs pieces of equal size, which is checked where extents are known
/// (merge_is_even).
/// Example: (0, 1) of layout<"data", none, "model"> is layout<"data", "model">
constexpr ruled merge_rule(layout_value const& a, int first, int last) {
  ruled r;
  r.out = a;
  for (int d = first + 1; d <= last; ++d)
    if (a.dim[d].size) return ruled::wrong(fault::sharded_dimension, a.dim[d][0]);
  if (a.dim[first].block) return ruled::wrong(fault::dealt_dimension, a.dim[first][0]);
  r.out.rank = a.rank - (last - first);
  for (int d = first + 1; d < r.out.rank; ++d) r.out.dim[d] = a.dim[d + (last - first)];
  for (int d = r.out.rank; d < a.rank; ++d) r.out.dim[d] = {};
  return r;
}

/// The layout of dimension `dim` cut into `count`: the major-most piece keeps the axes.
/// Example: dimension 0 of layout<"data", none> cut into 2 gives layout<"data", none, none>
constexpr ruled unmerge_rule(layout_value const& a, int dim, int count) {
  ruled r;
  r.out = a;
  if (a.dim[dim].block) return ruled::wrong(fault::dealt_dimension, a.dim[dim][0]);
  r.out.rank = a.rank + count - 1;
  for (int d = r.out.rank - 1; d > dim; --d) r.out.dim[d] = d - (count - 1) > dim ? a.dim[d - (count - 1)] : axis_list{};
  return r;
}

}  // namespace ashlar
