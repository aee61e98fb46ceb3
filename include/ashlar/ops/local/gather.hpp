// Rows of a table by index, and their transpose.
#pragma once
#include "ashlar/ops/local/rows.hpp"

namespace ashlar::detail {

/// A table [outer][size][inner] of the indices [lower, lower + size), and rows [outer][count][inner].
template <class I>
struct indexed_rows {
  I const* index;
  index_t outer, size, inner, count, lower;

  /// Row of the table, or -1 if it is not here.
  KOKKOS_FUNCTION index_t find(index_t i) const {
    auto const at = static_cast<index_t>(index[i]);
    return lower <= at && at < lower + size ? at - lower : -1;
  }
};

/// A task copies `piece` neighbouring elements of a row.
template <class T, class I>
struct take_kernel {
  indexed_rows<I> rows;
  T const* table;
  T* out;
  index_t piece;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const pieces = (rows.inner + piece - 1) / piece, row = task / pieces, start = task % pieces * piece;
    index_t const at = rows.find(row % rows.count), n = rows.inner - start < piece ? rows.inner - start : piece;
    T* const to = out + row * rows.inner + start;
    if (at < 0) {
      for (index_t j = 0; j < n; ++j) to[j] = T(0);
    } else {
      T const* const from = table + (row / rows.count * rows.size + at) * rows.inner + start;
      for (index_t j = 0; j < n; ++j) to[j] = from[j];
    }
  }
};

/// A task adds one element of one row.
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

/// Adds the rows in their order; threads share the columns, so that no two write one element.
template <class Space, class T, class I>
void scatter_add_in_order(Space const& space, indexed_rows<I> const& rows, T const* in, T* table) {
  index_t const columns = rows.outer * rows.inner;
  for_ranges("ashlar::scatter_add", space, columns, elements_per_thread / std::max<index_t>(rows.count, 1),
             [&](index_t begin, index_t end) {
               while (begin < end) {
                 index_t const o = begin / rows.inner, first = begin % rows.inner;
                 index_t const n = std::min(rows.inner - first, end - begin);
                 for (index_t i = 0; i < rows.count; ++i) {
                   index_t const at = rows.find(i);
                   if (at < 0) continue;
                   T const* const from = in + (o * rows.count + i) * rows.inner + first;
                   T* const to = table + (o * rows.size + at) * rows.inner + first;
                   ASHLAR_INDEPENDENT
                   for (index_t j = 0; j < n; ++j) to[j] += from[j];
                 }
                 begin += n;
               }
             });
}

}  // namespace ashlar::detail

namespace ashlar::local {

/// out[o, i, c] = table[o, index[i] - lower, c] where lower <= index[i] < lower + size, and 0 elsewhere: summed over
/// the ranks that share a table's rows, the whole take.
/// Shape: table [outer][size][inner], index [count], out [outer][count][inner], all row-major
template <class Space, class T, class I>
void take(Space const& space, T const* table, index_t outer, index_t size, index_t inner, I const* index, index_t count,
          index_t lower, T* out) {
  index_t const piece = detail::runs_in_caller<Space> ? std::max<index_t>(inner, 1) : 1;
  detail::take_kernel<T, I> const kernel{{index, outer, size, inner, count, lower}, table, out, piece};
  detail::for_each_index("ashlar::take", space, outer * count * (inner / piece), piece, kernel);
}

/// table[o, index[i] - lower, c] += in[o, i, c] for those indices: the transpose of take.
/// On the host rows are added in the order of i, whatever the number of threads; on devices in any order.
template <class Space, class T, class I>
void scatter_add(Space const& space, T const* in, index_t outer, index_t size, index_t inner, I const* index,
                 index_t count, index_t lower, T* table) {
  detail::indexed_rows<I> const rows{index, outer, size, inner, count, lower};
  if constexpr (detail::runs_in_caller<Space>)
    detail::scatter_add_in_order(space, rows, in, table);
  else
    detail::for_elements("ashlar::scatter_add", space, outer * count * inner,
                         detail::scatter_add_kernel<T, I>{rows, in, table});
}

}  // namespace ashlar::local
