// SPDX-License-Identifier: BSL-1.0
// Stencils on one rank's cells.
#pragma once
#include "ashlar/kernels/stencils/checked_reads.hpp"
#include "ashlar/kernels/loop_nest.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/meta/product.hpp"
#include "ashlar/ops/stencils/stencil.hpp"

namespace ashlar::kernels_detail {

/// Moves to the cell at an offset.
template <class T, int Rank, int Cells>
ASHLAR_FUNCTION void move_cell(ops_detail::neighbours<T, Rank, Cells>& u, index_t const (&by)[array_bound(Rank)]) {
  for (int d = 0; d < Rank; ++d) u.cell += by[d] * u.stride[d];
  if constexpr (Cells < Rank)
    for (int d = 0; d < Cells; ++d) u.first += by[d] * u.stride[d];
}

/// The array of a stencil's result, or the arrays of several results, from one cell on. All have the same strides.
template <class R>
struct stencil_output {
  R* first;
  ASHLAR_FUNCTION stencil_output from(index_t by) const { return {first + by}; }
  ASHLAR_FUNCTION void put(index_t at, R const& value) const { first[at] = value; }
};
template <class... R>
struct stencil_output<several<R...>> {
  using index = std::make_integer_sequence<int, static_cast<int>(sizeof...(R))>;
  several<R*...> first;
  ASHLAR_FUNCTION stencil_output from(index_t by) const { return from(by, index{}); }
  ASHLAR_FUNCTION void put(index_t at, several<R...> const& value) const { put(at, value, index{}); }

 private:
  template <int... I>
  ASHLAR_FUNCTION stencil_output from(index_t by, std::integer_sequence<int, I...>) const {
    return {several<R*...>((get<I>(first) + by)...)};
  }
  template <int... I>
  ASHLAR_FUNCTION void put(index_t at, several<R...> const& value, std::integer_sequence<int, I...>) const {
    ((get<I>(first)[at] = get<I>(value)), ...);
  }
};

/// A stencil on a box of cells. Pointers are to the box's first cell, in arrays of any strides. A functor that returns all
/// components is called once per cell, and others for each component.
template <class F, class R, int Rank, class... T>
struct stencil_kernel {
  using index = std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>;
  static constexpr int cell_dims = ops_detail::cell_dimensions<F, Rank>;
  template <class E>
  using around = ops_detail::neighbours<E, Rank, cell_dims>;
  using value = std::remove_cvref_t<decltype(ops_detail::call_stencil<Rank>(
      std::declval<F const&>(), std::declval<cell_index<Rank> const&>(), std::declval<around<T> const&>()...))>;
  static constexpr int components = ops_detail::components_of<value>::count;  // that f returns; 0 if no array
  static constexpr int last = components > 0 ? cell_dims - 1 : Rank - 1;      // the dimension of rows
  F f;
  stencil_output<R> result;
  index_t stride[array_bound(Rank)];
  index_t extent[array_bound(Rank)];
  cell_index<Rank> first;  // the global index of the box's first cell
  product<around<T>...> operands;

  index_t rows() const {
    index_t n = 1;
    for (int d = 0; d < last; ++d) n *= extent[d];
    return n;
  }
  index_t size() const { return rows() * extent[last]; }

  /// Cell i of the box, in row-major order.
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[array_bound(Rank)]{};
    find_indices(i, extent, last, at);
    cell(at);
  }
  /// The cell at a position in the box; all components of it, if f returns them.
  KOKKOS_FUNCTION void cell(index_t const (&at)[array_bound(Rank)]) const { cells(at, 1, index{}); }
  /// The last dimension of the rows [begin, end).
  void rows_between(index_t begin, index_t end) const {
    index_t at[array_bound(Rank)]{};
    find_indices(begin, extent, last - 1, at);
    for (index_t r = begin; r < end; ++r) {
      cells(at, extent[last], index{});
      for (int d = last - 1; d >= 0; --d) {  // divisions would cost as much as a short row
        if (++at[d] < extent[d]) break;
        at[d] = 0;
      }
    }
  }

  /// The cells of one row whose indices' sum is `which` modulo `of`. Indices of components do not count. The result may be
  /// the array of an operand.
  ASHLAR_FUNCTION void coloured_row(index_t r, index_t which, index_t of) const {
    index_t at[array_bound(Rank)]{};
    index_t sum = 0;
    find_indices(r, extent, last - 1, at);
    for (int d = 0; d < cell_dims; ++d) sum += first[d] + at[d];
    index_t const begin = ((which - sum) % of + of) % of;
    if constexpr (last < cell_dims) {
      for (at[last] = begin; at[last] < extent[last]; at[last] += of) cells(at, 1, index{});
    } else {
      if (begin == 0) cells(at, extent[last], index{});  // the row is all components of one cell
    }
  }

 private:
  template <int... I>
  ASHLAR_FUNCTION void cells(index_t const (&at)[array_bound(Rank)], index_t n,
                             std::integer_sequence<int, I...>) const {
    index_t to = 0;
    for (int d = 0; d < Rank; ++d) to += at[d] * stride[d];
    product<around<T>...> here = operands;
    (move_cell(get<I>(here), at), ...);
    cell_index<Rank> where = first;
    for (int d = 0; d < Rank; ++d) where.of[d] += at[d];
    stencil_output<R> const y = result.from(to);
    if (is_contiguous(stride) && (is_contiguous(get<I>(here).stride) && ...)) {
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < n; ++j)
        put<1>(y, j, call_checked<Rank>(f, beside(where, j), beside<1>(get<I>(here), j)...));
    } else {
      for (index_t j = 0; j < n; ++j)
        put<0>(y, j, call_checked<Rank>(f, beside(where, j), beside<0>(get<I>(here), j)...));
    }
  }
  // True if the elements of a row are side by side, those of all components too.
  ASHLAR_FUNCTION static bool is_contiguous(index_t const (&by)[array_bound(Rank)]) {
    if constexpr (components == 0)
      return by[last] == 1;
    else
      return Rank == cell_dims + 1 && by[Rank - 1] == 1 && by[last] == components;
  }
  // Writes what f returns to the j-th cell of a row. Contiguous: the compiler knows the strides.
  template <int Contiguous>
  ASHLAR_FUNCTION void put(stencil_output<R> const& y, index_t j, value const& v) const {
    if constexpr (components == 0) {
      y.put(Contiguous ? j : j * stride[last], v);
    } else if constexpr (Contiguous) {
      for (int c = 0; c < components; ++c) y.put(j * components + c, ops_detail::result_component(v, c));
    } else {
      for (int c = 0; c < components; ++c)
        y.put(j * stride[last] + component_at(c), ops_detail::result_component(v, c));
    }
  }
  ASHLAR_FUNCTION index_t component_at(index_t c) const {
    index_t extents[array_bound(Rank - cell_dims)];
    for (int d = cell_dims; d < Rank; ++d) extents[d - cell_dims] = extent[d];
    return ops_detail::component_offset(c, extents, stride);
  }
  // The neighbours of the j-th cell of a row.
  template <int Contiguous, class E>
  ASHLAR_FUNCTION static around<E> beside(around<E> u, index_t j) {
    if constexpr (Contiguous) {
      u.stride[Rank - 1] = 1;
      if constexpr (components > 0) u.stride[last] = components;
    }
    index_t by[array_bound(Rank)]{};
    by[last] = j;
    move_cell(u, by);
    return u;
  }
  ASHLAR_FUNCTION static cell_index<Rank> beside(cell_index<Rank> c, index_t j) {
    c.of[last] += j;
    return c;
  }
};

template <class Kernel>
struct coloured_rows {
  Kernel kernel;
  index_t which, of;
  KOKKOS_FUNCTION void operator()(index_t r) const { kernel.coloured_row(r, which, of); }
};
/// Runs the stencil on the cells of one colour.
template <class Space, class Kernel>
void run_coloured_kernel(Space const& space, Kernel const& kernel, index_t which, index_t of) {
  index_t const rows = kernel.rows(), length = rows == 0 ? 0 : kernel.size() / rows;
  if (length != 0) for_each_index("ashlar::update", space, rows, length, coloured_rows<Kernel>{kernel, which, of});
}

/// Runs the stencil on its box: rows that the compiler vectorises on the host, element by element on a device.
template <class Space, class Kernel>
void run_stencil_kernel(Space const& space, Kernel const& kernel) {
  if constexpr (runs_in_caller<Space>) {
    index_t const rows = kernel.rows(), length = rows == 0 ? 0 : kernel.size() / rows;
    if (length == 0) return;
    for_ranges("ashlar::stencil", space, rows, elements_per_thread / length,
               [&](index_t begin, index_t end) { kernel.rows_between(begin, end); });
  } else {
    for_elements("ashlar::stencil", space, kernel.size(), kernel);
  }
}

/// Boxes of cells within the box of a kernel, one after the other.
template <class Kernel, int Rank>
struct cells_of_boxes {
  static constexpr int most = 2 * Rank;
  Kernel kernel;
  index_t lower[array_bound(most)][array_bound(Rank)], extent[array_bound(most)][array_bound(Rank)],
      end[array_bound(most)];  // end: the number of cells in this box and those before
  KOKKOS_FUNCTION void operator()(index_t i) const {
    int b = 0;
    while (i >= end[b]) ++b;
    if (b > 0) i -= end[b - 1];
    index_t at[array_bound(Rank)]{};
    find_indices(i, extent[b], Kernel::last, at);
    for (int d = 0; d <= Kernel::last; ++d) at[d] += lower[b][d];
    kernel.cell(at);
  }
};
/// Runs the stencil on boxes within its box, which are 2 * Rank or fewer, by one kernel.
template <int Rank, class Space, class Kernel, class Boxes>
void run_stencil_on_boxes(Space const& space, Kernel const& kernel, Boxes const& boxes) {
  cells_of_boxes<Kernel, Rank> k{kernel, {}, {}, {}};
  index_t cells = 0;
  int b = 0;
  for (kernels::box const& box : boxes) {
    index_t here = 1;
    for (int d = 0; d <= Kernel::last; ++d) {
      k.lower[b][d] = box.lower[d];
      k.extent[b][d] = box.extent[d];
      here *= box.extent[d];
    }
    cells += here;
    k.end[b++] = cells;
  }
  for_elements("ashlar::stencil", space, cells, k);
}

}  // namespace ashlar::kernels_detail
