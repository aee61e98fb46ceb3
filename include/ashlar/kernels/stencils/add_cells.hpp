// SPDX-License-Identifier: BSL-1.0
// Sums of cells into other cells: of boxes one after the other, or of several boxes that overlap by one kernel.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/loop_nest.hpp"
#include <span>

namespace ashlar::kernels_detail {

/// Adds `count` cells, a distance apart, to one cell, for each element of the loops.
template <class T>
struct add_signed {
  T const* added;
  T* cells;
  loop_nest<2> loops;  // of the cells to which others are added, and of those; no cell of the former occurs twice
  int factor;          // 1 or -1
  index_t count, distance;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t offset[2];
    loops.locate(i, offset);
    T sum = cells[offset[0]];
    for (index_t k = 0; k < count; ++k) {
      T const x = added[offset[1] + k * distance];
      sum = static_cast<T>(sum + (factor < 0 ? -x : x));
    }
    cells[offset[0]] = sum;
  }
};

/// cells += factor * added, along loops (cells, added). Terms of a cell that occurs several times are added in the order of the
/// loops.
/// Pre: the loops write no cell that they read.
template <class Space, class T>
void add_cells(Space const& space, T const* added, T* cells, loop_nest<2> const& loops, int factor = 1) {
  if constexpr (runs_in_caller<Space>) {
    for_each_rectangle(loops, 0, loops.size(), [&](index_t const(&offset)[2], index_t rows, index_t length) {
      index_t const step = loops.step(0), step_of_added = loops.step(1);
      for (index_t r = 0; r < rows; ++r) {
        T* const to = cells + offset[0] + r * loops.row_stride(0);
        T const* const from = added + offset[1] + r * loops.row_stride(1);
        for (index_t j = 0; j < length; ++j) {
          T const x = from[j * step_of_added];
          to[j * step] = static_cast<T>(to[j * step] + (factor < 0 ? -x : x));
        }
      }
    });
  } else {
    // A task adds the cells of one dimension that are added to one cell. Of several such dimensions, the outer ones are loops
    // of kernels.
    loop_nest<2> one_each = loops;
    index_t count = 1, distance = 0;
    for (int d = loops.rank - 1; d >= 0; --d) {
      if (loops.stride[0][d] != 0 || loops.extent[d] < 2) continue;
      if (count > 1) {
        for (index_t k = 0; k < loops.extent[d]; ++k) add_cells(space, added, cells, loops.part(d, k, k + 1), factor);
        return;
      }
      count = loops.extent[d];
      distance = loops.stride[1][d];
      one_each.extent[d] = 1;
    }
    if (one_each.size() != 0)
      for_elements("ashlar::add_cells", space, one_each.size(),
                   add_signed<T>{added, cells, one_each, factor, count, distance});
  }
}

/// A box of cells in an array, and its terms, which are contiguous in another array.
struct box_of_terms {
  index_t terms;               // The place of the first term.
  index_t first[max_rank];     // The index of its cell.
  index_t extent[max_rank];    // The numbers of cells.
  signed char step[max_rank];  // From term to term the index grows by 1, or by -1.

  /// The place of a cell's term, or -1 if the cell is outside the box.
  KOKKOS_FUNCTION index_t term_of(index_t const* cell, int rank) const {
    index_t at = 0;
    for (int d = 0; d < rank; ++d) {
      index_t const p = (cell[d] - first[d]) * step[d];
      if (p < 0 || p >= extent[d]) return -1;
      at = at * extent[d] + p;
    }
    return terms + at;
  }
};

/// Adds the terms of boxes to their cells. The task of a cell in its first box adds all its terms, in the order of the boxes.
/// So tasks do not race, and one box after the other gives the same sums. The arguments fit the 4 KiB that a device takes.
template <class T>
struct sums_of_boxes {
  static constexpr std::size_t most = 20;  // host code reads it alone
  T const* terms;
  T* cells;
  int rank, boxes = 0;
  index_t stride[max_rank];
  index_t end[most];  // terms up to the end of the box
  box_of_terms box[most];

  /// The loops are (cells, terms). Pre: `cells` is row-major.
  sums_of_boxes(T const* from, T* to, shape const& stored, std::span<loop_nest<2> const> loops)
      : terms(from), cells(to), rank(stored.rank) {
    row_major_strides const strides(stored);
    std::copy_n(strides.stride, max_rank, stride);
    for (auto const& nest : loops) {
      if (nest.size() == 0) continue;
      box_of_terms& b = box[boxes];
      b.terms = nest.origin[1];
      index_t begin = nest.origin[0], last = begin;  // opposite corners
      for (int d = 0; d < nest.rank; ++d) last += (nest.extent[d] - 1) * nest.stride[0][d];
      for (int d = 0; d < rank; ++d) {
        index_t const from_index = begin / stride[d], to_index = last / stride[d];
        begin %= stride[d];
        last %= stride[d];
        bool const back = to_index < from_index;
        b.first[d] = from_index;
        b.extent[d] = (back ? from_index - to_index : to_index - from_index) + 1;
        b.step[d] = back ? -1 : 1;
      }
      end[boxes] = nest.size() + elements();
      ++boxes;
    }
  }
  index_t elements() const { return boxes == 0 ? 0 : end[boxes - 1]; }

  KOKKOS_FUNCTION void operator()(index_t i) const {
    int b = 0;
    while (end[b] <= i) ++b;
    index_t rest = b == 0 ? i : i - end[b - 1], to = 0, cell[max_rank];
    index_t const own_term = box[b].terms + rest;
    for (int d = rank - 1; d >= 0; --d) {
      cell[d] = box[b].first[d] + box[b].step[d] * (rest % box[b].extent[d]);
      rest /= box[b].extent[d];
      to += cell[d] * stride[d];
    }
    for (int k = 0; k < b; ++k)
      if (box[k].term_of(cell, rank) >= 0) return;
    T sum = static_cast<T>(cells[to] + terms[own_term]);
    for (int k = b + 1; k < boxes; ++k)
      if (index_t const term = box[k].term_of(cell, rank); term >= 0) sum = static_cast<T>(sum + terms[term]);
    cells[to] = sum;
  }
};

/// Adds the terms of boxes to cells of an array of extents `stored`, one box after the other. On a device one kernel takes up
/// to 20 boxes.
/// Pre: each nest (cells, terms) is a box of cells, along whose dimensions the index grows or falls by 1; its terms are
///   contiguous, in the order of the loops. The array is row-major. The terms are in another array.
template <class Space, class T>
void add_boxes(Space const& space, T const* terms, T* cells, shape const& stored, std::span<loop_nest<2> const> boxes) {
  if constexpr (runs_in_caller<Space>) {
    for (auto const& box : boxes) add_cells(space, terms, cells, box);
  } else {
    while (!boxes.empty()) {
      std::size_t const n = (std::min)(boxes.size(), sums_of_boxes<T>::most);
      sums_of_boxes<T> const sums(terms, cells, stored, boxes.first(n));
      if (sums.elements() != 0) for_elements("ashlar::add_boxes", space, sums.elements(), sums);
      boxes = boxes.subspan(n);
    }
  }
}

}  // namespace ashlar::kernels_detail
