// SPDX-License-Identifier: BSL-1.0
// The transpose of a stencil's derivative on one rank's cells.
#pragma once
#include "ashlar/kernels/stencils/stencil.hpp"
#include "ashlar/ops/stencils/stencil_slope.hpp"

namespace ashlar::kernels_detail {

/// Gathers the cotangent of operand Operand of a stencil. A stored cell s gets a sum over offsets o. Its terms are
/// ct(s - o) times the derivative of cell s - o with respect to the element at o. No two threads write one cell. If f returns
/// all components, each pair of a component that is read and one that is returned has a term.
template <int Operand, class F, class R, class Ct, int Rank, class... T>
struct stencil_back_kernel {
  using index = std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>;
  using forward = stencil_kernel<F, R, Rank, T...>;
  template <class E>
  using around_cell = typename forward::template around<E>;
  static constexpr int cell_dims = forward::cell_dims, components = forward::components, last = forward::last;
  static constexpr int results = components > 0 ? components : 1, pairs = results * results;
  using reads = ops_detail::reach_of_operand<F, Operand>;
  static constexpr int offsets = ops_detail::reach_offsets<reads, Rank>::most;
  static constexpr bool constant = ops_detail::has_constant_slope<F, Operand, Rank, around_cell<T>...>;
  F f;
  R* result;  // all stored cells
  index_t stored[array_bound(Rank)], stride[array_bound(Rank)];
  index_t begin[array_bound(Rank)], end[array_bound(Rank)];  // the stored positions of cells that the stencil computes
  Ct const* ct;                                              // at stored position 0 of the result, which need not exist
  index_t ct_stride[array_bound(Rank)];
  cell_index<Rank> first;             // the global index of stored position 0
  product<around_cell<T>...> around;  // at stored position 0
  R slope[array_bound(constant ? offsets * pairs
                               : 1)];  // by offset, component that is read, and component that is returned

  /// Offset k, to component c if f returns all. (The table is local: device code does not see static members.)
  ASHLAR_FUNCTION cell_index<Rank> offset(int k, int c) const {
    constexpr ops_detail::reach_offsets<reads, Rank> reach{};
    cell_index<Rank> o = reach.offset[k];
    if constexpr (components > 0) {
      index_t extent[array_bound(Rank - cell_dims)];
      for (int d = cell_dims; d < Rank; ++d) extent[d - cell_dims] = end[d] - begin[d];
      cell_index<Rank> const component = ops_detail::offset_of_component<Rank>(extent, c);
      for (int d = cell_dims; d < Rank; ++d) o.of[d] = component[d];
    }
    return o;
  }
  index_t rows() const {
    index_t n = 1;
    for (int d = 0; d < last; ++d) n *= stored[d];
    return n;
  }
  index_t size() const { return rows() * stored[last]; }

  /// Stored cell i, in row-major order.
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[array_bound(Rank)]{};
    find_indices(i, stored, last, at);
    add_all(at, at[last], 1);
  }
  void row(index_t r) const {
    index_t at[array_bound(Rank)]{};
    find_indices(r, stored, last - 1, at);
    add_all(at, 0, stored[last]);
  }

 private:
  // All terms of n cells of a row from position j on.
  ASHLAR_FUNCTION void add_all(index_t const (&at)[array_bound(Rank)], index_t j, index_t n) const {
    index_t to = j * stride[last];
    for (int d = 0; d < last; ++d) to += at[d] * stride[d];
    for (index_t i = 0; i < n * stride[last]; ++i) result[to + i] = R{};
    for (int k = 0; k < offsets; ++k) add(k, at, j, n, result + to);
  }
  // Adds the terms of offset k to n cells of a row from position j on.
  ASHLAR_FUNCTION void add(int k, index_t const (&at)[array_bound(Rank)], index_t j, index_t n, R* y) const {
    cell_index<Rank> const o = offset(k, 0);
    index_t from = 0;
    for (int d = 0; d < last; ++d) {
      index_t const c = at[d] - o[d];
      if (c < begin[d] || c >= end[d]) return;
      from += c * ct_stride[d];
    }
    index_t const low = begin[last] + o[last] > j ? begin[last] + o[last] : j;
    index_t const high = end[last] + o[last] < j + n ? end[last] + o[last] : j + n;
    if (low >= high) return;
    y -= j * stride[last];
    if constexpr (constant) {
      for (int p = 0; p < pairs; ++p) {
        R const w = slope[k * pairs + p];
        if (w == R{}) continue;
        R* const to = y + component_at(p / results, stride);
        Ct const* const g = ct + from - o[last] * ct_stride[last] + component_at(p % results, ct_stride);
        if (components == 0 && ct_stride[last] == 1) {
          ASHLAR_INDEPENDENT
          for (index_t i = low; i < high; ++i) to[i] = static_cast<R>(to[i] + w * g[i]);
        } else {
          index_t const step = stride[last], ct_step = ct_stride[last];
          for (index_t i = low; i < high; ++i) to[i * step] = static_cast<R>(to[i * step] + w * g[i * ct_step]);
        }
      }
    } else {
      for (index_t i = low; i < high; ++i) {
        cell_index<Rank> c{};
        for (int d = 0; d < Rank; ++d) c.of[d] = (d == last ? i : at[d]) - o[d];
        Ct const* const g = ct + from + c[last] * ct_stride[last];
        if constexpr (components == 0) {
          y[i * stride[last]] = static_cast<R>(y[i * stride[last]] + slope_of(o, c, index{}) * *g);
        } else {
          for (int d = cell_dims; d < Rank; ++d) c.of[d] = begin[d];
          for (int read = 0; read < components; ++read) {
            R& sum = y[i * stride[last] + component_at(read, stride)];
            auto const slopes = slope_of(offset(k, read), c, index{});
            for (int returned = 0; returned < components; ++returned)
              sum = static_cast<R>(sum + ops_detail::result_component(slopes, returned) *
                                             g[component_at(returned, ct_stride)]);
          }
        }
      }
    }
  }
  // The distance from stored position 0 in the dimensions of components to component c. 0 if f returns no array.
  ASHLAR_FUNCTION index_t component_at(index_t c, index_t const (&by)[array_bound(Rank)]) const {
    if constexpr (components > 0) {
      index_t extent[array_bound(Rank - cell_dims)], to = 0;
      for (int d = cell_dims; d < Rank; ++d) {
        extent[d - cell_dims] = end[d] - begin[d];
        to += begin[d] * by[d];
      }
      return to + ops_detail::component_offset(c, extent, by);
    } else {
      return 0;
    }
  }
  // The derivative of the cell at stored position c.
  template <int... I>
  ASHLAR_FUNCTION auto slope_of(cell_index<Rank> const& o, cell_index<Rank> const& c,
                                std::integer_sequence<int, I...>) const {
    product<around_cell<T>...> here = around;
    cell_index<Rank> where = first;
    for (int d = 0; d < Rank; ++d) where.of[d] += c[d];
    (move_cell(get<I>(here), c.of), ...);
    return ops_detail::slope_at<Operand, Rank>(f, o, where, get<I>(here)...);
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
