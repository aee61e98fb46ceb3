// The cells beside a part of a dimension that its windows read, beside a search over all windows of all parts.
#include "ashlar/ops/stencils/halo_windows.hpp"
#include <doctest/doctest.h>
#include <algorithm>

using namespace ashlar;
using namespace ashlar::nn;
using layout_detail::windows;

namespace {

// Part i of n elements: the first n % parts ones have one more.
interval part(index_t n, index_t parts, index_t i) {
  auto const begin = [&](index_t k) { return k * (n / parts) + std::min(k, n % parts); };
  return {begin(i), begin(i + 1)};
}

ops_detail::cells_beside found_by_search(windows const& w, int outer, int inner) {
  ops_detail::cells_beside most;
  for (index_t i = 0; i < outer; ++i)
    for (index_t j = 0; j < inner; ++j) {
      auto const piece_of = [&](index_t n) {
        interval const whole = part(n, outer, i), piece = part(whole.size(), inner, j);
        return interval{whole.begin + piece.begin, whole.begin + piece.end};
      };
      interval const own = piece_of(w.n), out = piece_of(w.count());
      for (index_t window = out.begin; window < out.end; ++window)
        for (index_t k = 0; k < w.size; ++k) {
          index_t const cell = w.first(window) + k * w.dilation;
          most.below = std::max(most.below, own.begin - cell);
          most.above = std::max(most.above, cell + 1 - own.end);
        }
    }
  return most;
}

void check(windows const& w, int outer, int inner) {
  layout_detail::axis_list axes;
  axes.push(0);
  if (inner > 1) axes.push(1);
  mesh_shape mesh;
  mesh.axes = 2;
  mesh.size[0] = outer;
  mesh.size[1] = inner;
  auto const found = ops_detail::cells_beside_parts(w, axes, mesh), expected = found_by_search(w, outer, inner);
  bool const equal = found.below == expected.below && found.above == expected.above;
  if (!equal) {
    CAPTURE(w.n);
    CAPTURE(w.size);
    CAPTURE(w.stride);
    CAPTURE(w.dilation);
    CAPTURE(outer);
    CAPTURE(inner);
    CHECK(found.below == expected.below);
    CHECK(found.above == expected.above);
  }
}

}  // namespace

TEST_CASE("windows of parts: the cells beside a part, for all sizes, strides, edges and splits") {
  int cases = 0;
  for (index_t n = 1; n <= 26; ++n)
    for (index_t size = 1; size <= 4; ++size)
      for (index_t stride = 1; stride <= 4; ++stride)
        for (index_t dilation = 1; dilation <= 2; ++dilation)
          for (padding const edge : {padding::valid, padding::same})
            for (int outer = 1; outer <= 9; ++outer)
              for (int inner = 1; inner <= 3; ++inner, ++cases) {
                windows const w{n, size, stride, dilation, edge};
                bool const per_element = w.count() == n && stride == 1;  // then as many as of the whole dimension
                if (w.count() > 0 && !per_element) check(w, outer, inner);
              }
  CHECK(cases == 26 * 4 * 4 * 2 * 2 * 9 * 3);
}
