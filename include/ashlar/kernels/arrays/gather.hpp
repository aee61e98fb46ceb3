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

/// A table [outer][size][inner] that has some of the indices, and rows [outer][count][inner].
template <class I>
struct indexed_rows {
  I const* index;
  index_t outer, size, inner, count;
  index_set held;
  outside_indices outside;

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
    index_t const row = task / rows.inner, at = rows.find(row % rows.count);
    if (at < 0) rows.note(row % rows.count);
    out[task] = at < 0 ? T(0) : table[(row / rows.count * rows.size + at) * rows.inner + task % rows.inner];
  }
};

/// Each task adds one element of one row.
template <class T, class I>
struct scatter_add_kernel {
  indexed_rows<I> rows;
  T const* in;
  T* table;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const row = task / rows.inner, at = rows.find(row % rows.count);
    if (at < 0) return;
    T* const to = table + (row / rows.count * rows.size + at) * rows.inner + task % rows.inner;
    Kokkos::atomic_add(to, in[task]);
  }
};

template <class Space, class T, class I>
void take_by_rows(Space const& space, indexed_rows<I> const& rows, T const* table, T* out) {
  index_t const n = rows.inner, grain = elements_per_thread / std::max<index_t>(n, 1);
  for_ranges("ashlar::take", space, rows.outer * rows.count, grain, [&](index_t begin, index_t end) {
    for (index_t row = begin, o = begin / rows.count, i = begin % rows.count; row < end; ++row) {
      index_t const at = rows.find(i);
      if (at < 0) {
        rows.note(i);
        std::fill_n(out + row * n, n, T(0));
      } else {
        std::copy_n(table + (o * rows.size + at) * n, n, out + row * n);
      }
      if (++i == rows.count) i = 0, ++o;
    }
  });
}

/// Adds the rows in their order. Threads share the columns, so that no two threads write one element.
template <class Space, class T, class I>
void scatter_add_by_columns(Space const& space, indexed_rows<I> const& rows, T const* in, T* table) {
  index_t const grain = elements_per_thread / std::max<index_t>(rows.count, 1);
  for_ranges("ashlar::scatter_add", space, rows.outer * rows.inner, grain, [&](index_t begin, index_t end) {
    for (index_t n; begin < end; begin += n) {
      index_t const o = begin / rows.inner, first = begin % rows.inner;
      n = (std::min)(rows.inner - first, end - begin);
      bool some_outside = false;  // a call in the loop would make it slower
      for (index_t i = 0; i < rows.count; ++i) {
        index_t const at = rows.find(i);
        if (at < 0) {
          some_outside |= rows.outside.is_outside(rows.global(i));
          continue;
        }
        T const* const from = in + (o * rows.count + i) * rows.inner + first;
        T* const to = table + (o * rows.size + at) * rows.inner + first;
        ASHLAR_INDEPENDENT
        for (index_t j = 0; j < n; ++j) to[j] += from[j];
      }
      for (index_t i = 0; some_outside && i < rows.count; ++i) rows.note(i);
    }
  });
}

// The number of elements in one row of a table.
inline index_t row_size(shape const& table) {
  index_t n = 1;
  for (int d = 1; d < table.rank; ++d) n *= table[d];
  return n;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// out[o, i, c] = table[o, held.find(index[i]), c] if `held` has index[i], else 0. The sum over the ranks that share a
/// table's rows is the whole take.
/// Shape: table [outer][held.size()][inner], index [count], out [outer][count][inner], all row-major
template <class Space, class T, class I>
void take(Space const& space, T const* table, index_t outer, index_set const& held, index_t inner, I const* index,
          index_t count, T* out, kernels_detail::outside_indices const& outside = {}) {
  kernels_detail::indexed_rows<I> const rows{index, outer, held.size(), inner, count, held, outside};
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::take_by_rows(space, rows, table, out);
  else
    kernels_detail::for_elements("ashlar::take", space, outer * count * inner,
                                 kernels_detail::take_kernel<T, I>{rows, table, out});
}

/// table[o, held.find(index[i]), c] += in[o, i, c] if `held` has index[i]: the transpose of take.
/// On the host, rows are added in the order of i, whatever the number of threads; on devices, in any order.
template <class Space, class T, class I>
void scatter_add(Space const& space, T const* in, index_t outer, index_set const& held, index_t inner, I const* index,
                 index_t count, T* table, kernels_detail::outside_indices const& outside = {}) {
  kernels_detail::indexed_rows<I> const rows{index, outer, held.size(), inner, count, held, outside};
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::scatter_add_by_columns(space, rows, in, table);
  else
    kernels_detail::for_elements("ashlar::scatter_add", space, outer * count * inner,
                                 kernels_detail::scatter_add_kernel<T, I>{rows, in, table});
}

template <class S, class T, class I>
outside_index run(ops_detail::take_op const& op, S const& space, scratch_memory, shard<T> const& y,
                  shard<T const> const& table, shard<I const> const& index) {
  return kernels_detail::look_outside<S>(!op.drops, table.global[0], index.data, [&](auto const& outside) {
    take(space, table.data, 1, table.owned.dim[0], kernels_detail::row_size(table.local_extents()), index.data,
         index.local_size(), y.data, outside);
  });
}
template <class S, class T, class I>
outside_index run(ops_detail::scatter_add_op const& op, S const& space, scratch_memory, shard<T> const& y,
                  shard<T const> const& update, shard<I const> const& index, auto const&) {
  fill(space, y.data, y.local_size(), T(0));
  return kernels_detail::look_outside<S>(!op.drops, y.global[0], index.data, [&](auto const& outside) {
    scatter_add(space, update.data, 1, y.owned.dim[0], kernels_detail::row_size(y.local_extents()), index.data,
                index.local_size(), y.data, outside);
  });
}

}  // namespace ashlar::kernels
