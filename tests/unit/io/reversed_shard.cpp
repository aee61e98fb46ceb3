// labels: sanitizers
// Boxes of arrays in Fortran order.
#include "ashlar/io/reversed_shard.hpp"
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

using namespace ashlar;
using namespace ashlar::io_detail;

namespace {

std::vector<shape> const all_shapes{shape::of(7),       shape::of(1, 1),       shape::of(5, 3),   shape::of(1, 6, 1),
                                    shape::of(3, 4, 2), shape::of(2, 1, 5, 3), shape::of(4, 0, 2)};

// The numbers of a box's elements, row by row.
std::vector<index_t> numbers_of(shape const& extents, kernels::box const& b) {
  std::vector<index_t> all;
  region const part = region_of(b, extents.rank);
  for_each_run(part, extents, 0, part.size(), [&](index_t, index_t first, index_t n) {
    for (index_t k = 0; k < n; ++k) all.push_back(first + k);
  });
  return all;
}

bool contains(shape const& extents, kernels::box const& b, index_t number) {
  for (int d = 0; d < extents.rank; ++d) {
    index_t const i = number / extents.stride(d) % extents[d] - b.lower[d];
    if (i < 0 || i >= b.extent[d]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("reversed_shard: boxes of an interval have its elements, each once and in order") {
  for (shape const& n : all_shapes)
    for (index_t begin = 0; begin <= n.size(); ++begin)
      for (index_t end = begin; end <= n.size(); ++end) {
        std::vector<index_t> found, expected(static_cast<std::size_t>(end - begin));
        std::iota(expected.begin(), expected.end(), begin);
        int boxes = 0;
        for_each_box<index_t>({n.extent, n.extent + n.rank}, begin, end, [&](auto const& start, auto const& count) {
          ++boxes;
          kernels::box b;
          std::copy(start.begin(), start.end(), b.lower);
          std::copy(count.begin(), count.end(), b.extent);
          auto const more = numbers_of(n, b);
          found.insert(found.end(), more.begin(), more.end());
        });
        REQUIRE(found == expected);
        REQUIRE(boxes <= 2 * n.rank);
      }
}

TEST_CASE("reversed_shard: rows of a box are its elements in order") {
  shape const n = shape::of(3, 4, 5);
  kernels::box b;
  for (b.lower[0] = 0; b.lower[0] < 2; ++b.lower[0])
    for (b.lower[1] = 0; b.lower[1] < 3; ++b.lower[1])
      for (b.extent[1] = 1; b.lower[1] + b.extent[1] <= 4; ++b.extent[1])
        for (b.extent[2] = 1; b.extent[2] <= 5; ++b.extent[2]) {
          b.extent[0] = 2;
          std::vector<index_t> expected;
          for (index_t g = 0; g < n.size(); ++g)
            if (contains(n, b, g)) expected.push_back(g);
          REQUIRE(numbers_of(n, b) == expected);
        }
}

TEST_CASE("reversed_shard: a box keeps to its bytes, and has long rows and whole cache lines if it can") {
  index_t const most = 8 << 20;
  for (index_t const bytes : {1, 4, 8, 16})
    for (index_t const a : {0, 1, 3, 100, 100000})
      for (index_t const b : {1, 5, 3000})
        for (index_t const c : {1, 2, 1000, 100000, 10000000}) {
          shape const n = shape::of(a, b, c), box = transposed_box(n, bytes, most);
          CAPTURE(bytes);
          for (int d = 0; d < 3; ++d) REQUIRE((box[d] >= 1 && box[d] <= std::max<index_t>(n[d], 1)));
          REQUIRE(box.size() * bytes <= most);
          CHECK(box[2] * bytes >= std::min<index_t>(c * bytes, 256 << 10));
          CHECK(box[0] * bytes >= std::min<index_t>(a * bytes, std::min<index_t>(bytes * 32, 256)));
        }
}
