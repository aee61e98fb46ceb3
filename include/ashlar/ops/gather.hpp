// Rows of real tables by index.
#pragma once
#include "ashlar/ops/local/gather.hpp"
#include "ashlar/plan/gather.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

namespace detail {
// Elements of one row of a table's shard.
inline index_t row_size(shape const& table) {
  index_t n = 1;
  for (int d = 1; d < table.rank; ++d) n *= table[d];
  return n;
}
}  // namespace detail

template <class T, class L, class M, class S, class Table, class Index>
void evaluate(take_op const&, sharded_tensor<T, L, M, S>& y, Table const& table, Index const& index) {
  region const part = table.local_region();
  local::take(S{}, static_cast<T const*>(table.data()), 1, part.dim[0], detail::row_size(part.extents()), index.data(),
              index.local_size(), y.data());
}
template <class T, class L, class M, class S, class Update, class Index, class Like>
void evaluate(scatter_add_op const&, sharded_tensor<T, L, M, S>& y, Update const& update, Index const& index, Like const&) {
  region const part = y.local_region();
  local::fill(S{}, y.data(), part.size(), T(0));
  local::scatter_add(S{}, static_cast<T const*>(update.data()), 1, part.dim[0], detail::row_size(part.extents()), index.data(),
                     index.local_size(), y.data());
}

}  // namespace ashlar
