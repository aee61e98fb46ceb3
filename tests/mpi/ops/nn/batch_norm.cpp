// Batch statistics beyond PyTorch's arrays: rows of a large mean, against long double, and batches of no rows.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/larger.hpp"
#include "support/mpi_main.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <vector>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {
using line = mesh<axis<"data">>;

// Row r of channel c. All are exact in T: a mean of `mean`, and deviations of about 1, whose sum is not 0.
double row_of_large_mean(index_t r, index_t c, double mean) {
  return mean * static_cast<double>(c + 1) + static_cast<double>((r * 37 + c * 11) % 64 - 32) / 16;
}

// Moving statistics of 0 and 0, after one batch of momentum 0: the statistics of the batch. The oracle is in long double.
template <class T, statistics Over>
void check_large_mean(index_t rows, double mean, double tolerance) {
  constexpr index_t channels = 3;
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  auto const at = [&](index_t r, index_t c) {
    return static_cast<long double>(row_of_large_mean(r, c, mean)) +
           (r == 0 ? 1000 : 0);  // a first row far from others
  };
  auto const x = tensor_of<T, layout<"data", none>>(m, shape::of(rows, channels), [&](index_t g, int) {
    return static_cast<double>(at(g / channels, g % channels));
  });
  auto const ct = tensor_of<T, layout<"data", none>>(m, shape::of(rows, channels),
                                                     [](index_t g, int) { return static_cast<double>(g % 5) - 2; });
  auto const before = zeros<T, layout<none>>(m, {channels});
  auto const result = value_and_grad<"data">([&](auto const& a) {
    auto const [y, state] =
        batch_norm<Over>(a, none, none, build<moving_statistics>(before, before), {.momentum = 0, .epsilon = 0.5});
    return build<with_aux>(sum(y * ct), state);
  })(x);
  std::vector<T> const found_mean = gather_all(result.aux.mean), found_variance = gather_all(result.aux.variance);
  std::vector<T> const found = gather_all(result.gradients);
  for (index_t c = 0; c < channels; ++c) {
    auto const n = static_cast<long double>(rows);
    long double average = 0, variance = 0, sum_ct = 0, sum_ct_h = 0;
    for (index_t r = 0; r < rows; ++r) average += at(r, c) / n;
    for (index_t r = 0; r < rows; ++r) variance += (at(r, c) - average) * (at(r, c) - average) / n;
    CHECK(static_cast<double>(found_mean[static_cast<std::size_t>(c)]) ==
          doctest::Approx(static_cast<double>(average)).epsilon(tolerance));
    CHECK(static_cast<double>(found_variance[static_cast<std::size_t>(c)]) ==
          doctest::Approx(static_cast<double>(variance)).epsilon(tolerance));
    if constexpr (Over == statistics::per_shard) continue;
    long double const root = std::sqrt(variance + 0.5L);
    auto const ct_of = [&](index_t r) { return static_cast<long double>((r * channels + c) % 5 - 2); };
    for (index_t r = 0; r < rows; ++r) sum_ct += ct_of(r) / n, sum_ct_h += ct_of(r) * (at(r, c) - average) / root / n;
    double worst = 0;
    for (index_t r = 0; r < rows; ++r) {
      long double const d = (ct_of(r) - sum_ct - (at(r, c) - average) / root * sum_ct_h) / root;
      worst = test::larger(worst, std::abs(static_cast<double>(found[static_cast<std::size_t>(r * channels + c)] - d)));
    }
    CHECK(worst < tolerance);
  }
}
}  // namespace

TEST_CASE("batch_norm of rows whose mean is large loses no digits, in the gradient either") {
  for (index_t rows : {7, 1000}) {
    check_large_mean<double, statistics::global>(rows, 1e9, 1e-9);
    check_large_mean<double, statistics::per_shard>(rows, 1e9, 1e-9);
    check_large_mean<double, statistics::global>(rows, 1e12, 1e-4);  // of 16 digits of x 12 are its mean's
    check_large_mean<float, statistics::global>(rows, 65536, 1e-3);
  }
}

TEST_CASE("batch_norm of no rows leaves the moving statistics alone") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  auto const before =
      build<moving_statistics>(full<double, layout<none>>(m, {3}, 0.25), full<double, layout<none>>(m, {3}, 2.));
  auto const x = make<double, layout<"data", none, none, none>>(m, {0, 2, 2, 3});
  auto const check = [&](auto const& after) {
    CHECK(gather_all(after.mean) == gather_all(before.mean));
    CHECK(gather_all(after.variance) == gather_all(before.variance));
  };
  check(batch_norm(x, none, none, before).state);
  check(batch_norm<statistics::per_shard>(x, none, none, before).state);
}
