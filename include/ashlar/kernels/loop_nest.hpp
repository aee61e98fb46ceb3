// SPDX-License-Identifier: BSL-1.0
// Loops over the elements of several strided arrays of one shape, with as few dimensions as their strides allow.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <algorithm>
#include <cstdint>

namespace ashlar::kernels_detail {

/// The distance in elements between neighbours along each dimension of a row-major array.
struct row_major_strides {
  index_t stride[max_rank]{};

  explicit row_major_strides(shape const& extents) {
    index_t n = 1;
    for (int d = extents.rank - 1; d >= 0; --d) {
      stride[d] = n;
      n *= extents[d];
    }
  }
  /// Offset of the element with these indices.
  index_t offset(index_t const (&at)[max_rank]) const {
    index_t sum = 0;
    for (int d = 0; d < max_rank; ++d) sum += at[d] * stride[d];
    return sum;
  }
};

/// The strides that are given, or the strides of a row-major array.
inline row_major_strides strides_or(index_t const* given, shape const& extents) {
  row_major_strides s(extents);
  if (given != nullptr) std::copy_n(given, extents.rank, s.stride);
  return s;
}

/// Nested loops over N arrays. Element (i_0, ..) of array n is at offset origin[n] + sum of i_d * stride[n][d].
template <int N>
struct loop_nest {
  int rank;  // at least 1
  index_t extent[max_rank];
  index_t origin[array_bound(N)];
  index_t stride[array_bound(N)][max_rank];

  ASHLAR_FUNCTION index_t size() const {
    index_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }
  ASHLAR_FUNCTION index_t inner() const { return extent[rank - 1]; }
  ASHLAR_FUNCTION index_t step(int n) const { return stride[n][rank - 1]; }
  ASHLAR_FUNCTION index_t row_stride(int n) const { return rank > 1 ? stride[n][rank - 2] : 0; }

  /// Offsets in each array of the element with row-major number i, and its indices.
  ASHLAR_FUNCTION void locate(index_t i, index_t (&offset)[array_bound(N)], index_t (&at)[max_rank]) const {
    for (int n = 0; n < N; ++n) offset[n] = origin[n];
    for (int d = rank - 1; d >= 0; --d) {
      index_t const rest = d == 0 ? 0 : quotient(i, extent[d]);
      at[d] = i - rest * extent[d];
      for (int n = 0; n < N; ++n) offset[n] += at[d] * stride[n][d];
      i = rest;
    }
  }
  ASHLAR_FUNCTION void locate(index_t i, index_t (&offset)[array_bound(N)]) const {
    index_t at[max_rank];
    locate(i, offset, at);
  }

  /// The part with indices [begin, end) of dimension d.
  loop_nest part(int d, index_t begin, index_t end) const {
    loop_nest p = *this;
    p.extent[d] = end - begin;
    for (int n = 0; n < N; ++n) p.origin[n] += begin * stride[n][d];
    return p;
  }

 private:
  ASHLAR_FUNCTION static index_t quotient(index_t a, index_t b) {
    auto const x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if ((x | y) >> 32 == 0)  // devices divide 64-bit numbers slowly
      return static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(y);
    return static_cast<index_t>(x / y);
  }
};

/// Builds a nest by adding loops from the outermost to the innermost. Drops loops of extent 1. Joins neighbouring loops
/// if all arrays step through them alike. The nest has the same elements in the same order, in as few loops as
/// possible.
template <int N>
class nest_builder {
 public:
  /// The loop begins at the offset `begin` of each array. Pre: loops() < max_rank.
  void add(index_t extent, index_t const (&stride)[array_bound(N)], index_t const (&begin)[array_bound(N)] = {}) {
    for (int n = 0; n < N; ++n) nest_.origin[n] += begin[n];
    if (extent == 1) return;
    int const last = nest_.rank - 1;
    bool merge = last >= 0;
    for (int n = 0; n < N && merge; ++n) merge = nest_.stride[n][last] == stride[n] * extent;
    int const to = merge ? last : nest_.rank++;
    nest_.extent[to] = merge ? nest_.extent[to] * extent : extent;
    for (int n = 0; n < N; ++n) nest_.stride[n][to] = stride[n];
  }
  int loops() const { return nest_.rank; }
  loop_nest<N> nest() const {
    loop_nest<N> made = nest_;
    if (made.rank == 0) {
      made.rank = 1;
      made.extent[0] = 1;
    }
    return made;
  }

 private:
  loop_nest<N> nest_{};
};

/// The indices of element i in dimensions 0 to `last` of a row-major array.
ASHLAR_FUNCTION inline void find_indices(index_t i, index_t const* extent, int last, index_t* at) {
  for (int d = last; d >= 0; --d) {
    at[d] = i % extent[d];
    i /= extent[d];
  }
}

/// The loops over all elements of arrays of one shape.
/// Post: the same elements in the same order, in as few loops as possible
template <int N>
loop_nest<N> merge_loops(shape const& extents, index_t const* const (&strides)[array_bound(N)]) {
  nest_builder<N> loops;
  for (int d = 0; d < extents.rank; ++d) {
    index_t stride[array_bound(N)];
    for (int n = 0; n < N; ++n) stride[n] = strides[n][d];
    loops.add(extents[d], stride);
  }
  return loops.nest();
}

/// Calls visit(offset, rows, length) for rectangles of the two innermost loops that make up the elements [begin, end)
/// in row-major order. `offset` holds each array's offset of the rectangle's first element; visit may change it.
template <int N, class Visit>
void for_each_rectangle(loop_nest<N> const& nest, index_t begin, index_t end, Visit const& visit) {
  if (begin >= end) return;
  int const last = nest.rank - 1;
  index_t const inner = nest.inner();
  index_t offset[array_bound(N)], at[max_rank];
  nest.locate(begin, offset, at);
  for (;;) {
    index_t const column = at[last], left = end - begin;
    bool const whole = column == 0 && left >= inner;
    index_t const rows = whole && last > 0 ? (std::min)(nest.extent[last - 1] - at[last - 1], left / inner) : 1;
    index_t const length = whole ? inner : (std::min)(inner - column, left);
    index_t first[array_bound(N)];
    for (int n = 0; n < N; ++n) first[n] = offset[n];
    visit(first, rows, length);
    begin += rows * length;
    if (begin == end) return;
    for (int n = 0; n < N; ++n) offset[n] += rows * nest.stride[n][last - 1] - column * nest.stride[n][last];
    at[last] = 0;
    at[last - 1] += rows;
    for (int d = last - 1; at[d] == nest.extent[d]; --d) {
      for (int n = 0; n < N; ++n) offset[n] += nest.stride[n][d - 1] - at[d] * nest.stride[n][d];
      at[d] = 0;
      ++at[d - 1];
    }
  }
}

}  // namespace ashlar::kernels_detail
