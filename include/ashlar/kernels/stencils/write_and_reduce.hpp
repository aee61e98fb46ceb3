// SPDX-License-Identifier: BSL-1.0
// One kernel that writes an array and reduces an expression of its new elements, so that memory is read once.
#pragma once
#include "ashlar/kernels/expression_tree.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/ops/stencils/stencil.hpp"
#include <tuple>

namespace ashlar::kernels {

/// A leaf that is written: the element itself.
template <class T>
struct written {
  T* data;
  index_t stride[layout_detail::max_rank];

  using buffer = kernels_detail::no_buffer;
  struct pointer {
    T* data;
    index_t row_stride;
  };
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION T& at(index_t offset) const { return data[offset]; }
  static bool buffered(index_t step) { return step != 1; }
  pointer rows(index_t offset, index_t row_stride, index_t, index_t, buffer&) const {
    return {data + offset, row_stride};
  }
};

/// A leaf that the same kernel writes before it reads it.
template <class T>
struct read_back : strided<T> {
  KOKKOS_FUNCTION T const& at(index_t offset) const { return this->data[offset]; }
};

/// A leaf of a stencil: a cell with its neighbours.
template <class T, int Rank>
struct cells_around {
  ops_detail::neighbours<T, Rank> first;
  index_t stride[layout_detail::max_rank];

  using buffer = kernels_detail::no_buffer;
  // Adjacent: neighbours along the row are, so that the compiler knows it.
  template <bool Adjacent>
  struct row {
    ops_detail::neighbours<T, Rank> first;
    index_t row_stride, step;
    ops_detail::neighbours<T, Rank> operator()(index_t r, index_t j) const {
      ops_detail::neighbours<T, Rank> u = first;
      if (Adjacent) u.stride[Rank - 1] = 1;
      u.cell += r * row_stride + (Adjacent ? j : j * step);
      return u;
    }
    bool is_adjacent() const { return step == 1 && first.stride[Rank - 1] == 1; }
    row<true> adjacent() const { return {first, row_stride, 1}; }
  };
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION ops_detail::neighbours<T, Rank> at(index_t offset) const {
    ops_detail::neighbours<T, Rank> u = first;
    u.cell += offset;
    return u;
  }
  static bool buffered(index_t) { return false; }
  row<false> rows(index_t offset, index_t row_stride, index_t step, index_t, buffer&) const {
    return {at(offset), row_stride, step};
  }
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

template <class Row>
concept row_of_cells = requires(Row const& r) { r.is_adjacent(); };
template <class Row>
bool is_adjacent(Row const& r) {
  if constexpr (row_of_cells<Row>)
    return r.is_adjacent();
  else
    return true;
}
template <class Row>
auto adjacent(Row const& r) {
  if constexpr (row_of_cells<Row>)
    return r.adjacent();
  else
    return r;
}

template <class T, class F, class... Rows>
void write_row(T* out, index_t r, index_t begin, index_t end, F f, Rows... value) {
  ASHLAR_INDEPENDENT
  for (index_t j = begin; j < end; ++j) out[j] = static_cast<T>(f(value(r, j)...));
}

/// A function of the leaves of a kernel that writes and reduces: the element written, `Written` leaves of the function
/// `write`, and the leaves of the function `value`. It writes the element, and returns the value.
template <class T, class Write, class Value, std::size_t Written>
struct write_then_read {
  static constexpr bool writes = true;
  // The host writes this many elements of a row, and reduces them while the cache of the first level holds them.
  static constexpr index_t written_at_once = 512;
  static_assert(written_at_once >= running_totals<char>);
  Write write;
  Value value;

  template <class... V>
  KOKKOS_FUNCTION auto operator()(T& element, V const&... v) const {
    return at(element, product<V const&...>(v...), std::make_index_sequence<Written>{},
              std::make_index_sequence<sizeof...(V) - Written>{});
  }
  /// Combines the values of some rows with a total, in the order of reduce_rows.
  template <class Op, class R, class... Rows>
  R reduce(R total, index_t rows, index_t length, typename kernels::written<T>::pointer const& to,
           Rows const&... row) const {
    return by_rows<Op>(total, rows, length, to, std::tuple<Rows const&...>(row...), std::make_index_sequence<Written>{},
                       std::make_index_sequence<sizeof...(Rows) - Written>{});
  }

 private:
  template <class Pack, std::size_t... W, std::size_t... R>
  KOKKOS_FUNCTION auto at(T& element, Pack const& v, std::index_sequence<W...>, std::index_sequence<R...>) const {
    element = static_cast<T>(write(get<W>(v)...));
    return value(get<Written + R>(v)...);
  }
  template <class Op, class Result, class Rows, std::size_t... W, std::size_t... R>
  Result by_rows(Result total, index_t rows, index_t length, typename kernels::written<T>::pointer const& to,
                 Rows const& row, std::index_sequence<W...>, std::index_sequence<R...>) const {
    bool const side_by_side = (is_adjacent(std::get<W>(row)) && ...);
    auto const before = [&](index_t r, index_t begin) {
      index_t const end = (std::min)(begin + written_at_once, length);
      if (side_by_side)
        write_row(to.data + r * to.row_stride, r, begin, end, write, adjacent(std::get<W>(row))...);
      else
        write_row(to.data + r * to.row_stride, r, begin, end, write, std::get<W>(row)...);
      return end;
    };
    return reduce_rows<Op>(total, rows, length, before, value, std::get<Written + R>(row)...);
  }
};

// The loops over a box of the arrays that the leaves describe, all of whose elements give one result.
template <class Op, class T, class F, class... Leaf>
reduction<Op, T, F, leaves<Leaf...>> reduction_of_box(kernels::box const& cells, int rank, T* out, F const& f,
                                                      Leaf const&... leaf) {
  reduction<Op, T, F, leaves<Leaf...>> r(cells.shape(rank), (1u << rank) - 1u, out, f, leaves<Leaf...>(leaf...));
  index_t const* const strides[]{leaf.strides()...};
  for (int n = 0; n < static_cast<int>(sizeof...(Leaf)); ++n)
    for (int d = 0; d < rank; ++d)
      for (auto* const nest : {&r.all, &r.reduced}) nest->origin[n + 1] += cells.lower[d] * strides[n][d];
  return r;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Reduces the values f(leaf...) of a box of arrays.
template <class Op, class Space, class T, class F, class... Leaf>
void reduce_box(Space const& space, box const& cells, int rank, T* out, F const& f, Leaf const&... leaf) {
  kernels_detail::run_reduction(space, kernels_detail::reduction_of_box<Op>(cells, rank, out, f, leaf...));
}

/// Writes an array and reduces values of its new elements, in one kernel. f is a kernels_detail::write_then_read of the leaves:
/// the array, the leaves of what is written, and the leaves of the values. Among the last, a read_back is the array.
/// Post: on the host the result has the bits that map and then map_reduce give.
/// On the host it returns false and does nothing if the leaves are not read in the loops of the array alone, which sets
/// that order.
template <class Op, class Space, class R, class F, class T, class... Leaf>
bool write_and_reduce(Space const& space, box const& cells, int rank, R* out, F const& f, written<T> const& array,
                      Leaf const&... leaf) {
  auto const r = kernels_detail::reduction_of_box<Op>(cells, rank, out, f, array, leaf...);
  if constexpr (kernels_detail::runs_in_caller<Space>) {
    auto const& nest = r.all;
    auto const alone = kernels_detail::reduction_of_box<Op>(cells, rank, out, kernels_detail::same_value{}, array).all;
    if (nest.rank != alone.rank || !std::equal(nest.extent, nest.extent + nest.rank, alone.extent)) return false;
    int n = 1;
    if (written<T>::buffered(nest.step(n)) || (leaf.buffered(nest.step(++n)) || ...)) return false;
  }
  kernels_detail::run_reduction(space, r);
  return true;
}

}  // namespace ashlar::kernels
