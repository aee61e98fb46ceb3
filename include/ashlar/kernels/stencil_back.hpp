// The transpose of a stencil's derivative on one rank's cells.
#pragma once
#include "ashlar/kernels/stencil.hpp"
#include "ashlar/ops/stencil_slope.hpp"

namespace ashlar::kernels_detail {

/// Gathers the cotangent of the first operand of a stencil. A stored cell s gets a sum over offsets o. Its terms are
/// ct(s - o) times the derivative of cell s - o with respect to the element at o. No two threads write one cell.
template <class F, class R, class Ct, int Rank, class... T>
struct stencil_back_kernel {
  using index = std::index_sequence_for<T...>;
  static constexpr int offsets = ops_detail::reach_offsets<F, Rank>::most;
  static constexpr bool constant = ops_detail::has_constant_slope<F, 0, Rank, ops_detail::neighbours<T, Rank>...>;
  F f;
  R* result;  // all stored cells
  index_t stored[Rank], stride[Rank];
  index_t begin[Rank], end[Rank];  // the stored positions of cells that the stencil computes
  Ct const* ct;                    // at stored position 0 of the result, which need not exist
  index_t ct_stride[Rank];
  cell_index<Rank> first;                    // the global index of stored position 0
  stencil_leaves<index, Rank, T...> around;  // at stored position 0
  R slope[constant ? offsets : 1];

  /// Offset k. (The table is local: device code does not see static members.)
  ASHLAR_FUNCTION static cell_index<Rank> offset(int k) {
    constexpr ops_detail::reach_offsets<F, Rank> reach{};
    return reach.offset[k];
  }
  index_t rows() const {
    index_t n = 1;
    for (int d = 0; d + 1 < Rank; ++d) n *= stored[d];
    return n;
  }
  index_t size() const { return rows() * stored[Rank - 1]; }

  /// Stored cell i, in row-major order.
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[Rank];
    index_t to = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      at[d] = i % stored[d];
      i /= stored[d];
      to += at[d] * stride[d];
    }
    result[to] = R{};
    for (int k = 0; k < offsets; ++k) add(k, at, at[Rank - 1], 1, result + to);
  }
  void row(index_t r) const {
    index_t at[Rank]{};
    index_t to = 0;
    for (int d = Rank - 2; d >= 0; --d) {
      at[d] = r % stored[d];
      r /= stored[d];
      to += at[d] * stride[d];
    }
    index_t const n = stored[Rank - 1];
    for (index_t j = 0; j < n; ++j) result[to + j] = R{};
    for (int k = 0; k < offsets; ++k) add(k, at, 0, n, result + to);
  }

 private:
  // Adds the terms of offset k to n cells of a row from position j on.
  ASHLAR_FUNCTION void add(int k, index_t const (&at)[Rank], index_t j, index_t n, R* y) const {
    cell_index<Rank> const o = offset(k);
    index_t from = 0;
    for (int d = 0; d + 1 < Rank; ++d) {
      index_t const c = at[d] - o[d];
      if (c < begin[d] || c >= end[d]) return;
      from += c * ct_stride[d];
    }
    constexpr int last = Rank - 1;
    index_t const low = begin[last] + o[last] > j ? begin[last] + o[last] : j;
    index_t const high = end[last] + o[last] < j + n ? end[last] + o[last] : j + n;
    if (low >= high) return;
    if constexpr (constant) {
      R const w = slope[k];
      if (w == R{}) return;
      Ct const* const g = ct + from - o[last] * ct_stride[last];
      y -= j;
      if (ct_stride[last] == 1) {
        ASHLAR_INDEPENDENT
        for (index_t i = low; i < high; ++i) y[i] = static_cast<R>(y[i] + w * g[i]);
      } else {
        for (index_t i = low; i < high; ++i) y[i] = static_cast<R>(y[i] + w * g[i * ct_stride[last]]);
      }
    } else {
      for (index_t i = low; i < high; ++i) {
        cell_index<Rank> c{};
        for (int d = 0; d < Rank; ++d) c.of[d] = (d == last ? i : at[d]) - o[d];
        y[i - j] = static_cast<R>(y[i - j] + slope_of(o, c, index{}) * ct[from + c[last] * ct_stride[last]]);
      }
    }
  }
  // The derivative of the cell at stored position c.
  template <std::size_t... I>
  ASHLAR_FUNCTION auto slope_of(cell_index<Rank> const& o, cell_index<Rank> const& c, std::index_sequence<I...>) const {
    stencil_leaves<index, Rank, T...> here = around;
    cell_index<Rank> where = first;
    for (int d = 0; d < Rank; ++d) where.of[d] += c[d];
    (move(static_cast<stencil_leaf<I, T, Rank>&>(here).at, c), ...);
    return ops_detail::slope_at<0, Rank>(f, o, where, stencil_leaf_at<I>(here).at...);
  }
  template <class E>
  ASHLAR_FUNCTION static void move(ops_detail::neighbours<E, Rank>& u, cell_index<Rank> const& c) {
    for (int d = 0; d < Rank; ++d) u.cell += c[d] * u.stride[d];
  }
};

template <class Space, class Kernel>
void run_stencil_back_kernel(Space const& space, Kernel const& kernel) {
  if constexpr (runs_in_caller<Space>) {
    index_t const rows = kernel.rows(), length = rows == 0 ? 0 : kernel.size() / rows;
    if (length == 0) return;
    for_ranges("ashlar::stencil_back", space, rows, elements_per_thread / length, [&](index_t begin, index_t end) {
      for (index_t r = begin; r < end; ++r) kernel.row(r);
    });
  } else {
    for_elements("ashlar::stencil_back", space, kernel.size(), kernel);
  }
}

}  // namespace ashlar::kernels_detail
