// Stencils on one rank's cells.
#pragma once
#include "ashlar/kernels/checked_reads.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/stencil.hpp"

namespace ashlar::kernels_detail {

template <std::size_t I, class T, int Rank>
struct stencil_leaf {
  ops_detail::neighbours<T, Rank> at;
};
template <class Index, int Rank, class... T>
struct stencil_leaves;
template <std::size_t... I, int Rank, class... T>
struct stencil_leaves<std::index_sequence<I...>, Rank, T...> : stencil_leaf<I, T, Rank>... {};

template <std::size_t I, class T, int Rank>
ASHLAR_FUNCTION stencil_leaf<I, T, Rank> const& stencil_leaf_at(stencil_leaf<I, T, Rank> const& l) {
  return l;
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
    return {several<R*...>((ops_detail::several_at<I>(first) + by)...)};
  }
  template <int... I>
  ASHLAR_FUNCTION void put(index_t at, several<R...> const& value, std::integer_sequence<int, I...>) const {
    ((ops_detail::several_at<I>(first)[at] = ops_detail::several_at<I>(value)), ...);
  }
};

/// A stencil on a box of cells. Pointers are to the box's first cell, in arrays of any strides.
template <class F, class R, int Rank, class... T>
struct stencil_kernel {
  using index = std::index_sequence_for<T...>;
  F f;
  stencil_output<R> result;
  index_t stride[Rank];
  index_t extent[Rank];
  cell_index<Rank> first;  // the global index of the box's first cell
  stencil_leaves<index, Rank, T...> operands;

  index_t rows() const {
    index_t n = 1;
    for (int d = 0; d + 1 < Rank; ++d) n *= extent[d];
    return n;
  }
  index_t size() const { return rows() * extent[Rank - 1]; }

  /// Element i of the box, in row-major order.
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[Rank];
    for (int d = Rank - 1; d >= 0; --d) {
      at[d] = i % extent[d];
      i /= extent[d];
    }
    cells(at, 1, index{});
  }
  /// The last dimension of the rows [begin, end).
  void rows_between(index_t begin, index_t end) const {
    index_t at[Rank]{};
    index_t r = begin;
    for (int d = Rank - 2; d >= 0; --d) {
      at[d] = r % extent[d];
      r /= extent[d];
    }
    for (r = begin; r < end; ++r) {
      cells(at, extent[Rank - 1], index{});
      for (int d = Rank - 2; d >= 0; --d) {  // divisions would cost as much as a short row
        if (++at[d] < extent[d]) break;
        at[d] = 0;
      }
    }
  }

  /// The cells of one row whose indices' sum is `which` modulo `of`. The result may be the array of an operand.
  ASHLAR_FUNCTION void coloured_row(index_t r, index_t which, index_t of) const {
    index_t at[Rank]{};
    index_t sum = first[Rank - 1];
    for (int d = Rank - 2; d >= 0; --d) {
      at[d] = r % extent[d];
      r /= extent[d];
      sum += first[d] + at[d];
    }
    for (at[Rank - 1] = ((which - sum) % of + of) % of; at[Rank - 1] < extent[Rank - 1]; at[Rank - 1] += of)
      cells(at, 1, index{});
  }

 private:
  template <std::size_t... I>
  ASHLAR_FUNCTION void cells(index_t const (&at)[Rank], index_t n, std::index_sequence<I...>) const {
    index_t to = 0;
    for (int d = 0; d < Rank; ++d) to += at[d] * stride[d];
    stencil_leaves<index, Rank, T...> here = operands;
    (move(static_cast<stencil_leaf<I, T, Rank>&>(here).at, at), ...);
    cell_index<Rank> where = first;
    for (int d = 0; d < Rank; ++d) where.of[d] += at[d];
    stencil_output<R> const y = result.from(to);
    index_t const step = stride[Rank - 1];
    if (step == 1 && ((stencil_leaf_at<I>(here).at.stride[Rank - 1] == 1) && ...)) {
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < n; ++j)
        y.put(j, call_checked<Rank>(f, beside(where, j), beside<1>(stencil_leaf_at<I>(here).at, j)...));
    } else {
      for (index_t j = 0; j < n; ++j)
        y.put(j * step, call_checked<Rank>(f, beside(where, j), beside<0>(stencil_leaf_at<I>(here).at, j)...));
    }
  }
  template <class E>
  ASHLAR_FUNCTION static void move(ops_detail::neighbours<E, Rank>& u, index_t const (&at)[Rank]) {
    for (int d = 0; d < Rank; ++d) u.cell += at[d] * u.stride[d];
  }
  // The neighbours of the j-th cell of a row. Contiguous: the last stride is 1, so that the compiler knows it.
  template <int Contiguous, class E>
  ASHLAR_FUNCTION static ops_detail::neighbours<E, Rank> beside(ops_detail::neighbours<E, Rank> u, index_t j) {
    if (Contiguous) u.stride[Rank - 1] = 1;
    u.cell += j * u.stride[Rank - 1];
    return u;
  }
  ASHLAR_FUNCTION static cell_index<Rank> beside(cell_index<Rank> c, index_t j) {
    c.of[Rank - 1] += j;
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
  if (length == 0) return;
  if constexpr (runs_in_caller<Space>)
    for_ranges("ashlar::update", space, rows, elements_per_thread / length, [&](index_t begin, index_t end) {
      for (index_t r = begin; r < end; ++r) kernel.coloured_row(r, which, of);
    });
  else
    for_elements("ashlar::update", space, rows, coloured_rows<Kernel>{kernel, which, of});
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

}  // namespace ashlar::kernels_detail
