// Cross-entropy from labels: against its definition in long double, by finite differences, and where inputs are bad.
#include "ashlar/kernels/nn/losses.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <random>

using namespace ashlar;
using namespace test;

namespace {

template <class T, class I>
struct batch {
  index_t rows, n;
  std::vector<T> logits;
  std::vector<I> labels;

  batch(index_t r, index_t classes) : rows(r), n(classes) {
    std::mt19937 random(static_cast<unsigned>(1 + r + 100 * classes));
    std::normal_distribution<double> normal(0, 3);
    for (index_t i = 0; i < r * classes; ++i) logits.push_back(static_cast<T>(normal(random)));
    for (index_t i = 0; i < r; ++i) labels.push_back(static_cast<I>(random() % static_cast<unsigned>(classes)));
  }
  T const* row(index_t r) const { return logits.data() + r * n; }
  long double loss(index_t r) const {
    long double sum = 0;
    for (index_t j = 0; j < n; ++j) sum += std::exp(static_cast<long double>(row(r)[j]));
    return std::log(sum) - row(r)[labels[static_cast<std::size_t>(r)]];
  }
  long double total() const {
    long double s = 0;
    for (index_t r = 0; r < rows; ++r) s += loss(r);
    return s;
  }
};

template <class T, class I>
std::vector<T> losses(batch<T, I> const& b) {
  auto const x = to_device(b.logits);
  auto const l = to_device(b.labels);
  device_array<T> const out("test", b.labels.size());
  using loss = kernels_detail::row_loss<T, I>;
  kernels_detail::row_values<loss> const kernel{{{x.data(), l.data(), b.n}}, out.data()};
  kernels_detail::for_each_row("test", space(), b.rows, b.n, kernel);
  return to_host(out);
}
template <class T, class I>
T total(batch<T, I> const& b) {
  auto const x = to_device(b.logits);
  auto const l = to_device(b.labels);
  auto const out = to_device(std::vector<T>{77});
  kernels_detail::row_loss<T, I> const of_row{{x.data(), l.data(), b.n}};
  kernels_detail::sum_over_rows("test", space(), b.rows, b.n, of_row, out.data());
  return to_host(out)[0];
}
template <class T, class I>
std::vector<T> vjp(batch<T, I> const& b, T scale, T factor) {
  auto const x = to_device(b.logits);
  auto const l = to_device(b.labels);
  auto const s = to_device(std::vector<T>{scale});
  device_array<T> const out("test", b.logits.size());
  kernels_detail::cross_entropy_vjp_kernel<T, I> const kernel{{x.data(), l.data(), b.n}, s.data(), factor, out.data()};
  kernels_detail::for_each_row("test", space(), b.rows, b.n, kernel);
  return to_host(out);
}

}  // namespace

TEST_CASE_TEMPLATE("losses are their definition", T, float, double) {
  double const epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (index_t rows : {0, 1, 5, 128, 3000})
    for (index_t n : {1, 2, 10, 67}) {
      INFO(rows, " x ", n);
      batch<T, std::int32_t> const b(rows, n);
      auto const each = losses(b);
      double worst = 0;
      for (index_t r = 0; r < rows; ++r) {
        long double const expected = b.loss(r);
        long double const error = std::abs(each[static_cast<std::size_t>(r)] - expected) / (1 + std::abs(expected));
        worst = test::larger(worst, static_cast<double>(error));
      }
      CHECK(worst <= 8 * epsilon);
      CHECK(static_cast<double>(std::abs(total(b) - b.total())) <=
            8 * epsilon * (1 + static_cast<double>(b.total())) * std::sqrt(1 + static_cast<double>(rows)));
    }
}

// A sum that rounds differently in every other order.
struct thirds {
  using value_type = double;
  KOKKOS_FUNCTION double value(auto const&, index_t r) const { return (r % 5 == 0 ? 1e9 : 1.0) / (3.0 + double(r)); }
};

TEST_CASE("on the host, rows are summed in groups of their number alone, whatever the threads") {
  if constexpr (kernels_detail::runs_in_caller<space>) {
    index_t const rows = 5000, n = 50, groups = 61;  // of 4096 elements
    double expected = 0, sum = 0;
    for (index_t g = 0; g < groups; ++g) {
      double group = 0;
      for (index_t r = rows * g / groups; r < rows * (g + 1) / groups; ++r) group += thirds{}.value(0, r);
      expected += group;
    }
    kernels_detail::sum_over_rows("test", space(), rows, n, thirds{}, &sum);
    CHECK(sum == expected);
  }
}

TEST_CASE_TEMPLATE("the vjp is a finite difference", I, std::int32_t, std::int64_t, std::uint8_t) {
  for (index_t rows : {0, 1, 6})
    for (index_t n : {1, 2, 10}) {
      batch<double, I> b(rows, n);
      double const scale = -1.5, factor = 0.25, h = 1e-5;
      auto const d = vjp(b, scale, factor);
      double worst = 0;
      for (std::size_t i = 0; i < b.logits.size(); ++i) {
        double const was = b.logits[i];
        b.logits[i] = was + h;
        long double const up = b.total();
        b.logits[i] = was - h;
        long double const down = b.total();
        b.logits[i] = was;
        worst = test::larger(worst, std::abs(scale * factor * static_cast<double>((up - down) / (2 * h)) - d[i]));
      }
      CHECK(worst < 1e-8);
    }
}

TEST_CASE("large logits are exact") {
  batch<float, int> b(2, 2);
  b.logits = {3e38f, -3e38f, 3e38f, 3e38f};
  b.labels = {0, 1};
  CHECK(losses(b) == std::vector<float>{0, std::log(2.f)});
  CHECK(vjp(b, 1.f, 1.f) == std::vector<float>{0, 0, 0.5f, -0.5f});
}

TEST_CASE("a label outside, a NaN, and a row without classes make NaN in their row alone") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  batch<float, int> b(4, 2);
  b.logits = {1, 2, 1, 2, 1, nan, 1, 1};
  b.labels = {2, -1, 0, 1};
  auto const each = losses(b);
  auto const d = vjp(b, 1.f, 1.f);
  for (std::size_t r : {0u, 1u, 2u}) {
    CHECK(std::isnan(each[r]));
    CHECK(std::isnan(d[2 * r]));
    CHECK(std::isnan(d[2 * r + 1]));
  }
  CHECK(each[3] == std::log(2.f));
  CHECK(d[6] == 0.5f);
  CHECK(std::isnan(total(b)));

  batch<float, int> empty(1, 1);
  empty.n = 0;
  empty.logits.clear();
  CHECK(std::isnan(losses(empty)[0]));
}

TEST_CASE_TEMPLATE("from distributions: a class at -infinity without a target adds nothing", T, float, double) {
  T const absent = -std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  auto const loss = [](std::vector<T> const& logits, std::vector<T> const& targets) {
    auto const x = to_device(logits), t = to_device(targets), out = to_device(std::vector<T>{77});
    auto const n = static_cast<index_t>(logits.size());
    kernels_detail::row_distribution_loss<T> const of_row{x.data(), t.data(), n};
    kernels_detail::sum_over_rows("test", space(), 1, n, of_row, out.data());
    return to_host(out)[0];
  };
  for (std::size_t n : {3u, 40u}) {
    std::vector<T> logits, targets, kept_logits, kept_targets;
    for (std::size_t j = 0; j < n; ++j) {
      logits.push_back(j % 3 == 1 ? absent : T(0.1) * static_cast<T>(j));
      targets.push_back(j % 3 == 1 ? T(0) : 1 / static_cast<T>(1 + j));
      if (j % 3 == 1) continue;
      kept_logits.push_back(logits[j]);
      kept_targets.push_back(targets[j]);
    }
    CHECK(loss(logits, targets) == doctest::Approx(loss(kept_logits, kept_targets)).epsilon(1e-6));
    targets[1] = T(0.5);
    CHECK(loss(logits, targets) == -absent);
    targets[1] = 0;
    logits[1] = nan;
    CHECK(std::isnan(loss(logits, targets)));
    CHECK(std::isnan(loss(logits, std::vector<T>(n))));
    logits[1] = -absent;
    CHECK(std::isnan(loss(logits, targets)));
  }
}
