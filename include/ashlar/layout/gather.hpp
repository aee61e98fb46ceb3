// The layout rule of gathering rows of a table by index.
#pragma once
#include "ashlar/layout/einsum.hpp"

namespace ashlar {

/// The layout of out[i..., r...] = table[index[i...], r...]: the product of the one-hot matrix of `index` with `table`.
/// Where axes shard the table's rows, each rank finds the rows it has and 0 for the others: a sum pends.
/// Example: table layout<"model", none>, index layout<"data">: partial<layout<"data", none>, "model">
constexpr ruled gather_rule(layout_value const& table, layout_value const& index) {
  axis_mask const at = table.named(), in = index.named();
  if (at & in) return ruled::wrong(fault::conflict, first_axis(at & in));
  if (index.levels) return ruled::wrong(fault::not_linear, first_axis(index.partial()));
  if (!detail::pends_only(table, op_sum)) return ruled::wrong(fault::not_linear, first_axis(table.partial()));
  ruled r;
  for (int d = 0; d < index.rank; ++d) r.out.dim[r.out.rank++] = index.dim[d];
  for (int d = 1; d < table.rank; ++d) r.out.dim[r.out.rank++] = table.dim[d];
  r.out.pend(op_sum, table.partial() | table.dim[0].mask());
  return r;
}

/// The layout of its transpose: rows of `update` (index' dimensions, then the table's other than 0) are summed into a
/// table whose rows axes shard as `rows`.
constexpr ruled scatter_rule(layout_value const& index, layout_value const& update, axis_list const& rows) {
  ruled r;
  r.out.rank = update.rank - index.rank + 1;
  r.out.dim[0] = rows;
  axis_mask summed = 0;
  for (int d = 0; d < index.rank; ++d) {
    if (index.dim[d] != update.dim[d])
      return ruled::wrong(fault::one_sided, first_axis(index.dim[d].mask() ^ update.dim[d].mask()));
    summed |= index.dim[d].mask();
  }
  for (int d = 1; d < r.out.rank; ++d) r.out.dim[d] = update.dim[index.rank + d - 1];
  if (update.named() & rows.mask()) return ruled::wrong(fault::conflict, first_axis(update.named() & rows.mask()));
  if (index.levels) return ruled::wrong(fault::not_linear, first_axis(index.partial()));
  if (!detail::pends_only(update, op_sum)) return ruled::wrong(fault::not_linear, first_axis(update.partial()));
  r.out.pend(op_sum, update.partial() | summed);
  return r;
}

}  // namespace ashlar
