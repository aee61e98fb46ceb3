// Counts of right answers against their definition, and where inputs are bad.
#include "ashlar/kernels/nn/metrics.hpp"
#include "support/device_array.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <limits>
#include <random>

using namespace ashlar;
using namespace test;

namespace {

template <class T, class I>
struct batch {
  index_t rows, n;
  std::vector<T> logits;
  std::vector<I> labels;
};

template <class T, class I>
batch<T, I> random_batch(index_t rows, index_t n) {
  batch<T, I> b{rows, n, {}, {}};
  std::mt19937 random(static_cast<unsigned>(1 + rows + 100 * n));
  std::normal_distribution<double> normal(0, 3);
  for (index_t i = 0; i < rows * n; ++i) b.logits.push_back(static_cast<T>(normal(random)));
  for (index_t i = 0; i < rows; ++i) b.labels.push_back(static_cast<I>(random() % static_cast<unsigned>(n)));
  return b;
}

template <class T, class I>
std::int64_t hits(batch<T, I> const& b, index_t k = 1) {
  auto const x = to_device(b.logits);
  auto const l = to_device(b.labels);
  auto const out = to_device(std::vector<std::int64_t>{77});
  kernels_detail::sum_over_rows("test", space(), b.rows, b.n,
                                kernels_detail::row_hit<T, I>{{x.data(), l.data(), b.n}, k}, out.data());
  return to_host(out)[0];
}
template <class T, class I>
std::vector<T> confusion(batch<T, I> const& b) {
  auto const x = to_device(b.logits);
  auto const l = to_device(b.labels);
  device_array<T> const out("test", static_cast<std::size_t>(b.n * b.n));
  kernels_detail::for_each_row("test", space(), b.rows, b.n,
                               kernels_detail::confusion_kernel<T, I>{{x.data(), l.data(), b.n}, out.data()});
  return to_host(out);
}

// Six rows: 2 is the largest; 0 is; 0 comes before 1; 0 does, not 1; 1 comes before 2; 0 does.
batch<double, int> const with_ties{6, 3, {1, 2, 3, 3, 2, 1, 2, 2, 1, 2, 2, 1, 1, 2, 2, 0, 0, 0}, {2, 1, 0, 1, 1, 0}};

}  // namespace

TEST_CASE("hits: the first of the largest") {
  CHECK(hits(with_ties) == 4);
  CHECK(hits(with_ties, 2) == 6);
  for (index_t rows : {0, 1, 77, 5000}) {
    auto const b = random_batch<float, std::uint8_t>(rows, 10);
    std::int64_t expected = 0;
    for (index_t r = 0; r < rows; ++r) {
      auto const row = b.logits.begin() + r * 10;
      expected += std::max_element(row, row + 10) - row == b.labels[static_cast<std::size_t>(r)];
    }
    CHECK(hits(b) == expected);
  }
}

TEST_CASE("confusion: rows by label and by the first of the largest") {
  CHECK(confusion(with_ties) == std::vector<double>{2, 0, 0, 2, 1, 0, 0, 0, 1});
  auto const b = random_batch<double, std::int64_t>(500, 7);
  std::vector<double> expected(49);
  for (index_t r = 0; r < 500; ++r) {
    auto const row = b.logits.begin() + r * 7;
    ++expected[static_cast<std::size_t>(7 * b.labels[static_cast<std::size_t>(r)] +
                                        (std::max_element(row, row + 7) - row))];
  }
  CHECK(confusion(b) == expected);
}

TEST_CASE("a label outside, a NaN, and a row without classes count nowhere") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  batch<float, int> const b{4, 2, {1, 2, 1, 2, 1, nan, 1, 1}, {2, -1, 0, 1}};
  CHECK(hits(b) == 0);
  CHECK(confusion(b) == std::vector<float>{0, 0, 1, 0});
  CHECK(hits(batch<float, int>{1, 0, {}, {0}}) == 0);
}
