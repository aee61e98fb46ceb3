// labels: sanitizers
// Merged loops visit the elements of the original shape, in its order, whatever range is asked for.
#include "ashlar/kernels/loop_nest.hpp"
#include <doctest/doctest.h>
#include <array>
#include <random>
#include <vector>

using namespace ashlar;

namespace {

using offsets = std::vector<std::array<index_t, 2>>;

// Offsets of all elements in row-major order: an odometer over the unflattened shape.
offsets naive(shape const& s, index_t const* a, index_t const* b) {
  offsets all;
  for (index_t i = 0; i < s.size(); ++i) {
    std::array<index_t, 2> o{};
    index_t rest = i;
    for (int d = s.rank - 1; d >= 0; rest /= s[d--]) {
      o[0] += rest % s[d] * a[d];
      o[1] += rest % s[d] * b[d];
    }
    all.push_back(o);
  }
  return all;
}

offsets visited(kernels_detail::loop_nest<2> const& nest, index_t begin, index_t end) {
  offsets all;
  kernels_detail::for_each_rectangle(nest, begin, end, [&](index_t const(&at)[2], index_t rows, index_t length) {
    for (index_t r = 0; r < rows; ++r)
      for (index_t j = 0; j < length; ++j)
        all.push_back(
            {at[0] + r * nest.row_stride(0) + j * nest.step(0), at[1] + r * nest.row_stride(1) + j * nest.step(1)});
  });
  return all;
}

}  // namespace

TEST_CASE("any range of a merged nest is that range of the naive loops, by rectangles and one by one") {
  std::mt19937 generator(2);
  auto const random = [&](index_t last) { return std::uniform_int_distribution<index_t>(0, last)(generator); };
  for (int rank = 0; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 100; ++repeat) {
      shape s;
      for (s.rank = 0; s.rank < rank; ++s.rank) s.extent[s.rank] = 1 + random(rank < 5 ? 5 : 2);
      // Row-major strides, each dropped to 0 or changed now and then: some neighbours merge, others do not.
      index_t strides[2][layout_detail::max_rank]{};
      for (auto& stride : strides)
        for (int d = 0; d < rank; ++d) stride[d] = random(3) == 0 ? random(1) * 17 : s.stride(d);
      auto const expected = naive(s, strides[0], strides[1]);
      auto const nest = kernels_detail::merge_loops<2>(s, {strides[0], strides[1]});
      REQUIRE(nest.size() == s.size());
      CHECK(visited(nest, 0, nest.size()) == expected);

      index_t const begin = random(s.size()), end = begin + random(s.size() - begin);
      CHECK(visited(nest, begin, end) == offsets(expected.begin() + begin, expected.begin() + end));
      index_t const i = random(s.size() - 1);
      index_t at[2];
      nest.locate(i, at);
      CHECK(std::array{at[0], at[1]} == expected[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("loops merge where all arrays step alike, and only there") {
  shape const s = shape::of(4, 1, 5, 6);
  kernels_detail::row_major_strides const whole(s);
  index_t const padded[] = {35, 35, 7, 1}, column[] = {0, 0, 0, 1};
  CHECK(kernels_detail::merge_loops<1>(s, {whole.stride}).rank == 1);
  CHECK(kernels_detail::merge_loops<2>(s, {whole.stride, padded}).rank == 2);
  CHECK(kernels_detail::merge_loops<2>(s, {whole.stride, column}).rank == 2);
  CHECK(kernels_detail::merge_loops<1>(shape::of(1, 1), {whole.stride}).size() == 1);
  CHECK(kernels_detail::merge_loops<1>(shape{}, {whole.stride}).size() == 1);
}

TEST_CASE("a part of a nest is the loops over a range of one dimension") {
  shape const s = shape::of(4, 5, 6);
  index_t const a[] = {100, 10, 1}, b[] = {1, 100, 10000};
  auto const nest = kernels_detail::merge_loops<2>(s, {a, b});
  for (int d = 0; d < 3; ++d) {
    shape p = s;
    p[d] = 2;
    auto expected = naive(p, a, b);
    for (auto& o : expected) {
      o[0] += a[d];
      o[1] += b[d];
    }
    CHECK(visited(nest.part(d, 1, 3), 0, p.size()) == expected);
  }
}

TEST_CASE("offsets beyond 2^32 are located exactly") {
  index_t const big = index_t{1} << 40;
  shape const s = shape::of(3, big, 7);
  index_t const a[] = {8 * big, 8, 1}, b[] = {0, 1, big};
  auto const nest = kernels_detail::merge_loops<2>(s, {a, b});
  index_t at[2];
  nest.locate((2 * big + (big - 5)) * 7 + 3, at);
  CHECK(at[0] == 16 * big + 8 * (big - 5) + 3);
  CHECK(at[1] == big - 5 + 3 * big);
}
