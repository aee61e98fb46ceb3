// labels: sanitizers
// The kernel by which devices pack boxes of fields of several element types, run on this space, beside loops of the test.
#include "ashlar/kernels/stencils/copies_of_fields.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

using namespace ashlar;
using namespace ashlar::planning;
using kernels_detail::field_box;
using kernels_detail::loop_nest;
using test::shared_vector;

namespace {

struct rgb {
  unsigned char red, green, blue;
};

// `count` boxes of 2 x 3 elements from arrays of elements with `bytes` bytes. The box number k is row-major in the buffer.
// Every third box is read backwards along its rows.
struct boxes_of_arrays {
  static constexpr index_t rows = 7, columns = 11;
  std::vector<shared_vector<unsigned char>> arrays;
  shared_vector<unsigned char> buffer, expected;
  std::vector<field_box> boxes;

  boxes_of_arrays(std::vector<int> const& bytes, int count)
      : buffer(static_cast<std::size_t>(count) * 16 * 8), expected(static_cast<std::size_t>(count) * 16 * 8) {
    std::mt19937 draw(3);
    for (int b : bytes) {
      arrays.emplace_back(static_cast<std::size_t>(rows * columns * b));
      for (auto& byte : arrays.back()) byte = static_cast<unsigned char>(draw());
    }
    for (int k = 0; k < count; ++k) {
      auto const a = static_cast<std::size_t>(k) % bytes.size();
      index_t const b = bytes[a], step = k % 3 == 2 ? -1 : 1, from = (k % 5) * columns + 4 + k % 4;
      std::size_t const at = static_cast<std::size_t>(k) * 16 * 8;
      loop_nest<2> nest{2, {2, 3}, {from, 0}, {{columns, step}, {3, 1}}};
      boxes.push_back({arrays[a].data(), buffer.data() + at, static_cast<int>(b), nest});
      for (index_t i = 0; i < 2; ++i)
        for (index_t j = 0; j < 3; ++j)
          std::memcpy(expected.data() + at + static_cast<std::size_t>((i * 3 + j) * b),
                      arrays[a].data() + (from + i * columns + j * step) * b, static_cast<std::size_t>(b));
    }
  }
};

}  // namespace

TEST_CASE("copy_fields: boxes of elements of all sizes, by one kernel, and by several if there are many") {
  Kokkos::DefaultExecutionSpace const space;
  std::vector<int> const sizes{sizeof(double), sizeof(float), sizeof(short), 1, sizeof(std::complex<double>),
                               sizeof(rgb)};
  for (int const count : {0, 1, 6, 14, 15, 40}) {
    boxes_of_arrays x(sizes, count);
    CHECK(kernels_detail::copy_fields(space, x.boxes.data(), x.boxes.size()) == (count + 13) / 14);
    space.fence();
    CHECK(std::equal(x.buffer.begin(), x.buffer.end(), x.expected.begin()));
  }
}

TEST_CASE("copy_fields: empty boxes, and the kernel's arguments fit what a device takes") {
  static_assert(sizeof(kernels_detail::copies_of_fields) < 4096 - 256);
  Kokkos::DefaultExecutionSpace const space;
  boxes_of_arrays x({8, 4}, 3);
  x.boxes[1].nest.extent[0] = 0;
  std::memset(x.expected.data() + 128, 0, 128);
  CHECK(kernels_detail::copy_fields(space, x.boxes.data(), x.boxes.size()) == 1);
  space.fence();
  CHECK(std::equal(x.buffer.begin(), x.buffer.end(), x.expected.begin()));
}
