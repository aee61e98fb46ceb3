// SPDX-License-Identifier: BSL-1.0
// Rows of a table by index, and their transpose.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/ops/arrays/gather.hpp"

namespace ashlar::kernels_detail {

/// A table [held.size()][inner] that has some of the indices, and rows [count][inner], all row-major.
template <class I>
struct indexed_rows {
  I const* index;
  index_t inner, count;
  index_set held;
  outside_indices outside;

  indexed_rows(kernels::shard<I const> const& of, region const& table, outside_indices const& out)
      : index(of.data), inner(1), count(of.local_size()), held(table.dim[0]), outside(out) {
    for (int d = 1; d < table.rank; ++d) inner *= table.dim[d].size();
  }

  KOKKOS_FUNCTION index_t global(index_t i) const { return static_cast<index_t>(index[i]); }
  /// The row of the table, or -1 if this rank does not have it.
  KOKKOS_FUNCTION index_t find(index_t i) const { return held.find(global(i)); }
  KOKKOS_FUNCTION void note(index_t i) const { outside.note(i, global(i)); }
};

/// Each task copies one element of one row.
template <class T, class I>
struct take_kernel {
  indexed_rows<I> rows;
  T const* table;
  T* out;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const row = task / rows.inner, at = rows.find(row);
    if (at < 0) rows.note(row);
    out[task] = at < 0 ? T(0) : table[at * rows.inner + task % rows.inner];
  }
};

/// Each task adds one element of one row.
template <class T, class I>
struct scatter_add_kernel {
  indexed_rows<I> rows;
  T const* in;
  T* table;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const at = rows.find(task / rows.inner);
    if (at >= 0) Kokkos::atomic_add(table + at * rows.inner + task % rows.inner, in[task]);
  }
};

template <class Space, class T, class I>
void take_by_rows(Space const& space, indexed_rows<I> const& rows, T const* table, T* out) {
  index_t const n = rows.inner, grain = elements_per_thread / std::max<index_t>(n, 1);
  for_ranges("ashlar::take", space, rows.count, grain, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      index_t const at = rows.find(i);
      if (at < 0) {
        rows.note(i);
        std::fill_n(out + i * n, n, T(0));
      } else {
        std::copy_n(table + at * n, n, out + i * n);
      }
    }
  });
}

/// Adds the rows in their order. Threads share the columns, so that no two threads write one element.
template <class Space, class T, class I>
void scatter_add_by_columns(Space const& space, indexed_rows<I> const& rows, T const* in, T* table) {
  index_t const grain = elements_per_thread / std::max<index_t>(rows.count, 1);
  for_ranges("ashlar::scatter_add", space, rows.inner, grain, [&](index_t begin, index_t end) {
    index_t const n = end - begin;
    bool some_outside = false;  // a call in the loop would make it slower
    for (index_t i = 0; i < rows.count; ++i) {
      index_t const at = rows.find(i);
      if (at < 0) {
        some_outside |= rows.outside.is_outside(rows.global(i));
        continue;
      }
      T const* const from = in + i * rows.inner + begin;
      T* const to = table + at * rows.inner + begin;
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < n; ++j) to[j] += from[j];
    }
    for (index_t i = 0; some_outside && i < rows.count; ++i) rows.note(i);
  });
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// y[i, c] = table[held.find(index[i]), c] if the rank's rows of the table, `held`, have index[i], else 0. The sum over the
/// ranks that share a table's rows is the whole take.
template <class S, class T, class I>
outside_index run(ops_detail::take_op const& op, S const& space, scratch_memory, shard<T> const& y,
                  shard<T const> const& table, shard<I const> const& index) {
  using namespace kernels_detail;
  return look_outside<S>(!op.drops, table.global[0], index.data, [&](auto const& outside) {
    indexed_rows<I> const rows(index, table.owned, outside);
    if constexpr (runs_in_caller<S>)
      take_by_rows(space, rows, table.data, y.data);
    else
      for_elements("ashlar::take", space, rows.count * rows.inner, take_kernel<T, I>{rows, table.data, y.data});
  });
}

/// The transpose of take: y[held.find(index[i]), c] is the sum of update[i, c].
/// On the host, rows are added in the order of i, whatever the number of threads; on devices, in any order.
template <class S, class T, class I>
outside_index run(ops_detail::scatter_add_op const& op, S const& space, scratch_memory, shard<T> const& y,
                  shard<T const> const& update, shard<I const> const& index, auto const&) {
  using namespace kernels_detail;
  fill(space, y.data, y.local_size(), T(0));
  return look_outside<S>(!op.drops, y.global[0], index.data, [&](auto const& outside) {
    indexed_rows<I> const rows(index, y.owned, outside);
    if constexpr (runs_in_caller<S>)
      scatter_add_by_columns(space, rows, update.data, y.data);
    else
      for_elements("ashlar::scatter_add", space, rows.count * rows.inner,
                   scatter_add_kernel<T, I>{rows, update.data, y.data});
  });
}

}  // namespace ashlar::kernels
