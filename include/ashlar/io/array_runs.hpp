// SPDX-License-Identifier: BSL-1.0
// Regions of an array that a file holds row-major: their elements as runs of consecutive elements of the file.
#pragma once
#include "ashlar/layout/split.hpp"
#include <algorithm>
#include <vector>

namespace ashlar::io_detail {

/// The number of indices of a set that are less than i.
constexpr index_t count_below(index_set const& s, index_t i) {
  index_t low = 0, high = s.size();
  while (low < high) {
    index_t const middle = (low + high) / 2;
    (s[middle] < i ? low : high) = s[middle] < i ? middle + 1 : middle;
  }
  return low;
}
/// The number of elements of a region whose row-major number in the whole array is less than `element`.
constexpr index_t count_below(region const& r, shape const& whole, index_t element) {
  if (element >= whole.size()) return r.size();
  index_t count = 0, inner = r.size();
  for (int d = 0; d < r.rank && inner != 0; ++d) {
    index_t const stride = whole.stride(d), i = element / stride, below = count_below(r.dim[d], i);
    inner /= r.dim[d].size();
    count += below * inner;
    if (below == r.dim[d].size() || r.dim[d][below] != i) break;
    element -= i * stride;
  }
  return count;
}

/// Calls f(k, number, length) for each run of consecutive elements in the interval [begin, end) of a region's elements.
/// The elements k .. k + length - 1 of the region are `number` .. `number` + length - 1 of the whole array.
template <class F>
void for_each_run(region const& r, shape const& whole, index_t begin, index_t end, F f) {
  if (begin >= end) return;
  int dims = r.rank;
  index_t inner = 1;
  while (dims > 0 && r.dim[dims - 1].block == 0 && r.dim[dims - 1].size() == whole[dims - 1]) inner *= whole[--dims];
  if (dims == 0) return f(begin, begin, end - begin);
  index_t at[max_rank]{}, row = begin / inner, within = begin % inner;
  for (int d = dims - 1; d >= 0; --d) {
    at[d] = row % r.dim[d].size();
    row /= r.dim[d].size();
  }
  for (index_t k = begin; k < end;) {
    index_t number = within;
    for (int d = 0; d < dims; ++d) number += r.dim[d][at[d]] * whole.stride(d);
    index_t const rows = r.dim[dims - 1].run(at[dims - 1]), length = (std::min)(rows * inner - within, end - k);
    f(k, number, length);
    k += length;
    within = 0;
    at[dims - 1] += rows;
    for (int d = dims - 1; d > 0 && at[d] == r.dim[d].size(); --d) {
      at[d] = 0;
      ++at[d - 1];
    }
  }
}

/// Calls f(start, count) for boxes that have the elements [begin, end) of a row-major array, in order.
/// Each box is consecutive. Cost: at most 2 boxes per dimension.
template <class Index, class F>
void for_each_box(std::vector<index_t> const& extents, index_t begin, index_t end, F const& f) {
  std::vector<Index> start(extents.size(), 0), count(extents.size(), 1);
  auto const cut = [&](auto const& self, std::size_t d, index_t from, index_t to) -> void {
    if (from >= to) return;
    if (d == extents.size()) return f(start, count);
    index_t stride = 1;
    for (std::size_t e = d + 1; e < extents.size(); ++e) stride *= extents[e];
    auto const whole_rows = [&](index_t first, index_t last) {  // whole rows [first, last)
      if (first >= last) return;
      start[d] = static_cast<Index>(first), count[d] = static_cast<Index>(last - first);
      for (std::size_t e = d + 1; e < extents.size(); ++e) start[e] = 0, count[e] = static_cast<Index>(extents[e]);
      f(start, count);
    };
    auto const within = [&](index_t at_row, index_t first, index_t last) {  // elements of one row
      start[d] = static_cast<Index>(at_row), count[d] = 1;
      self(self, d + 1, first, last);
    };
    index_t const first = from / stride, last = to / stride;
    if (first == last) return within(first, from - first * stride, to - first * stride);
    bool const aligned = from % stride == 0;
    if (!aligned) within(first, from - first * stride, stride);
    whole_rows(aligned ? first : first + 1, last);
    within(last, 0, to - last * stride);
  };
  cut(cut, 0, begin, end);
}

/// The row-major number of element k of a region in the whole array.
constexpr index_t number_of(region const& r, shape const& whole, index_t k) {
  index_t number = 0;
  for (int d = r.rank - 1; d >= 0; --d) {
    number += r.dim[d][k % r.dim[d].size()] * whole.stride(d);
    k /= r.dim[d].size();
  }
  return number;
}

}  // namespace ashlar::io_detail
