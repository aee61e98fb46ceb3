// labels: threads sanitizers
// Kernels over rows: one thread per row and a team per row, against loops and against each other. Teams are the ones of
// devices, run on the host with 1 and, if there are as many threads, 3 lanes.
#include "ashlar/kernels/nn/attention.hpp"
#include "ashlar/kernels/nn/losses.hpp"
#include "ashlar/kernels/nn/metrics.hpp"
#include "ashlar/kernels/nn/normalize.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/nn/sharded_cross_entropy.hpp"
#include "ashlar/kernels/nn/softmax.hpp"
#include "support/device_array.hpp"
#include "support/device_on_host.hpp"
#include "support/shards.hpp"
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>

using namespace ashlar;
using namespace ashlar::kernels_detail;
using namespace test;

namespace {

std::vector<double> numbers(index_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v) x = normal(random);
  return v;
}
// From -1 to n: some labels name no class.
std::vector<int> labels(index_t rows, index_t n) {
  std::mt19937 random(7);
  std::vector<int> v(static_cast<std::size_t>(rows));
  for (int& l : v) l = static_cast<int>(random() % static_cast<unsigned>(n + 2)) - 1;
  return v;
}
// Rows with a NaN, an infinity, equal largest numbers and nothing but -infinity.
std::vector<double> unusual_numbers(index_t rows, index_t n) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto x = numbers(rows * n, 3);
  auto const at = [&](index_t r, index_t j) -> double& { return x[static_cast<std::size_t>(r * n + j)]; };
  for (index_t r = 0; r < rows && n > 1; ++r) {
    if (r % 5 == 1) at(r, n / 2) = std::numeric_limits<double>::quiet_NaN();
    if (r % 5 == 2) at(r, n - 1) = inf;
    if (r % 5 == 3) at(r, n - 1) = at(r, n / 3) = 50;
    if (r % 5 == 4)
      for (index_t j = 0; j < n; ++j) at(r, j) = -inf;
  }
  return x;
}

struct row_extents {
  index_t rows, n;
};
// Rows of more than 32 elements have a team.
constexpr row_extents all_rows[]{{0, 5},  {0, 40}, {1, 1},  {3, 7},    {5, 32},  {1, 33},
                                 {7, 33}, {6, 37}, {9, 64}, {11, 100}, {2, 1001}};
constexpr double rounding = 1e-13;

// Checks f(space, logits, rows, n, result) with usual and with unusual rows.
template <class F>
void check_rows(F const& f, double tolerance = rounding) {
  for (row_extents const e : all_rows)
    for (auto const& x : {numbers(e.rows * e.n, 1), unusual_numbers(e.rows, e.n)}) {
      INFO(e.rows, " rows of ", e.n);
      f(x, e.rows, e.n, tolerance);
    }
}

struct every_function_of_lanes {
  double const* x;
  double* y;  // [rows][n] and then [rows][4]
  index_t rows, n;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    index_t const end = n;
    double const* const in = x + r * n;
    double *const out = y + r * n, *const results = y + rows * n + r * 4;
    double const largest = lanes.template max<double>(n, [=](index_t j) { return in[j]; });
    double const sum = lanes.template sum<double>(n, [=](index_t j) { return in[j]; });
    index_t const last = lanes.template max<index_t>(n, [=](index_t j) { return j; });
    lanes.each(n, [=](index_t j) { out[j] = in[j] - largest; });
    // Each lane reads elements that others wrote.
    double const shifted = lanes.template sum<double>(n, [=](index_t j) { return out[end - 1 - j]; });
    lanes.once([=] {
      results[0] = largest;
      results[1] = sum;
      results[2] = static_cast<double>(last);
      results[3] += 1 + shifted;
    });
  }
};

}  // namespace

TEST_CASE("rows: each, max, sum and once are loops over the row, for a thread and for a team") {
  for (row_extents const e : all_rows) {
    index_t const rows = e.rows, n = e.n;
    if (n == 0) continue;
    std::vector<double> x(static_cast<std::size_t>(rows * n));
    for (index_t i = 0; i < rows * n; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(i * 37 % 101);
    std::vector<double> expected(x.size() + static_cast<std::size_t>(4 * rows), -77.);
    for (index_t r = 0; r < rows; ++r) {
      auto const in = x.begin() + r * n;
      auto const results = expected.begin() + rows * n + 4 * r;
      double const largest = *std::max_element(in, in + n);
      double sum = 0;
      for (index_t j = 0; j < n; ++j) {
        sum += in[j];
        expected[static_cast<std::size_t>(r * n + j)] = in[j] - largest;
      }
      results[0] = largest;
      results[1] = sum;
      results[2] = static_cast<double>(n - 1);
      results[3] = -77 + 1 + sum - static_cast<double>(n) * largest;
    }
    check_bodies<double>(static_cast<index_t>(expected.size()), [&](auto const& on, double* y) {
      kernels_detail::for_each_row("test", on, rows, n, every_function_of_lanes{x.data(), y, rows, n});
      on.fence();
      CHECK(std::equal(expected.begin(), expected.end(), y));
    });
  }
}

TEST_CASE_TEMPLATE("rows: softmax, its logarithm and their derivatives", Log, std::true_type, std::false_type) {
  for (row_extents const e : all_rows) {
    index_t const rows = e.rows, n = e.n;
    INFO(rows, " rows of ", n);
    auto const x = unusual_numbers(rows, n), ct = numbers(rows * n, 2);
    auto const same = [&](auto const& f) { check_bodies<double>(rows * n, f, 1e-11); };  // sums cancel
    same([&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, softmax_kernel<double, Log::value>{x.data(), y, n});
    });
    same([&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, softmax_vjp_kernel<double, Log::value>{x.data(), ct.data(), y, n});
    });
  }
}

TEST_CASE("rows: causal softmax") {
  check_rows([](auto const& x, index_t rows, index_t n, double tolerance) {
    for (index_t const positions : {1, 2, 3})
      check_bodies<double>(
          rows * n,
          [&](auto const& on, double* y) {
            index_set const of_rows(n / 2, n / 2 + positions);
            for_each_row("test", on, rows, n, causal_softmax_kernel<double>{x.data(), y, of_rows, n});
          },
          tolerance);
  });
}

TEST_CASE_TEMPLATE("rows: normalisation", Centered, std::true_type, std::false_type) {
  constexpr bool centered = Centered::value;
  constexpr double epsilon = 1e-5;
  for (row_extents const e : all_rows) {
    index_t const rows = e.rows, n = e.n;
    INFO(rows, " rows of ", n);
    auto const x = numbers(rows * n, 1), ct = numbers(rows * n, 2), scale = numbers(n, 3), shift = numbers(n, 4);
    auto const same = [&](index_t size, auto const& f) { check_bodies<double>(size, f, 1e-12); };
    for (double const* b : {shift.data(), static_cast<double const*>(nullptr)})
      same(rows * n, [&](auto const& on, double* y) {
        for_each_row("test", on, rows, n, normalize_kernel<double, centered>{x.data(), scale.data(), b, y, n, epsilon});
      });
    same(rows * n, [&](auto const& on, double* y) {
      for_each_row("test", on, rows, n,
                   normalize_vjp_kernel<double, centered>{x.data(), scale.data(), ct.data(), y, n, epsilon});
    });
    same(n, [&](auto const& on, double* y) {
      run(ops_detail::normalize_scale_pullback_op<centered, 1>{epsilon}, on, new_scratch<host_space>,
          result(y, shape::of(n)), operand(ct, shape::of(rows, n)), operand(x, shape::of(rows, n)));
    });
  }
}

TEST_CASE("rows: losses of labels and of distributions") {
  check_rows([](auto const& x, index_t rows, index_t n, double tolerance) {
    auto const of_rows = labels(rows, n);
    auto weights = numbers(rows, 5);
    for (std::size_t r = 1; r < weights.size(); r += 3) weights[r] = 0;
    std::vector<double> targets(x.size());
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = i % 3 ? 1. / static_cast<double>(n) : 0;
    double const scale = 0.5;
    auto const same = [&](index_t size, auto const& f) { check_bodies<double>(size, f, tolerance); };
    labelled_rows<double, int> const labelled{x.data(), of_rows.data(), n};
    row_loss<double, int> const loss{labelled};
    same(rows, [&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, row_values<row_loss<double, int>>{loss, y});
    });
    same(1, [&](auto const& on, double* y) { sum_over_rows("test", on, rows, n, loss, y); });
    same(rows * n, [&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, cross_entropy_vjp_kernel<double, int>{labelled, &scale, 3., y});
    });
    same(1, [&](auto const& on, double* y) {
      sum_over_rows("test", on, rows, n, weighted_row_loss<double, int>{loss, weights.data()}, y);
    });
    same(rows * n, [&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, cross_entropy_vjp_kernel<double, int>{labelled, &scale, 1., y, weights.data()});
    });
    same(1, [&](auto const& on, double* y) {
      sum_over_rows("test", on, rows, n, row_distribution_loss<double>{x.data(), targets.data(), n}, y);
    });
    same(rows * n, [&](auto const& on, double* y) {
      for_each_row("test", on, rows, n, distribution_vjp_kernel<double>{x.data(), targets.data(), n, &scale, 3., y});
    });
  });
}

TEST_CASE("rows: the loss of a rank's columns") {
  check_rows([](auto const& x, index_t rows, index_t n, double tolerance) {
    auto const of_rows = labels(rows, 2 * n);
    index_set const held(n / 2, n / 2 + n);
    labelled_columns<double, int> const columns{x.data(), of_rows.data(), held};
    using part = ops_detail::softmax_part<double>;
    std::vector<part> parts(static_cast<std::size_t>(rows), part(1, 2, 0.5));
    double const scale = 0.5;
    check_bodies<double>(
        3 * rows,
        [&](auto const& on, double* y) {
          std::vector<part> found(static_cast<std::size_t>(rows), part(0));
          for_each_row("test", on, rows, n, softmax_parts_kernel<double, int>{columns, found.data()});
          on.fence();
          for (auto const& p : found) {
            *y++ = p.largest;
            *y++ = p.sum;
            *y++ = p.target;
          }
        },
        tolerance);
    check_bodies<double>(
        1,
        [&](auto const& on, double* y) {
          sum_over_rows("test", on, rows, 1, loss_of_parts<double, int>{parts.data(), of_rows.data(), 2 * n}, y);
        },
        tolerance);
    check_bodies<double>(
        rows * n,
        [&](auto const& on, double* y) {
          for_each_row("test", on, rows, n,
                       sharded_cross_entropy_vjp_kernel<double, int>{columns, parts.data(), 2 * n, &scale, 3., y});
        },
        tolerance);
  });
}

TEST_CASE("rows: counts of hits and of labels by column") {
  check_rows([](auto const& x, index_t rows, index_t n, double) {
    auto const of_rows = labels(rows, n);
    for (index_t const k : {1, 3})
      check_bodies<std::int64_t>(1, [&](auto const& on, std::int64_t* y) {
        sum_over_rows("test", on, rows, n, row_hit<double, int>{{x.data(), of_rows.data(), n}, k}, y);
      });
    check_bodies<double>(n * n, [&](auto const& on, double* y) {
      std::fill_n(y, n * n, 0.);
      for_each_row("test", on, rows, n, confusion_kernel<double, int>{{x.data(), of_rows.data(), n}, y});
    });
  });
}
