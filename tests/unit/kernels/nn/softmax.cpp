// labels: sanitizers
// Softmax of rows: against its definition in long double, by finite differences, and at the ends of the number range.
#include "ashlar/kernels/nn/softmax.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <random>

using namespace ashlar;
using namespace test;

namespace {

struct extents {
  index_t rows, n;
  std::size_t size() const { return static_cast<std::size_t>(rows * n); }
  std::size_t at(index_t r, index_t j) const { return static_cast<std::size_t>(r * n + j); }
};

std::vector<extents> all_extents() {
  std::vector<extents> all;
  for (index_t rows : {0, 1, 3, 10})
    for (index_t n : {0, 1, 2, 7, 16, 37}) all.push_back({rows, n});
  all.push_back({300, 17});
  all.push_back({3, 1000});
  return all;
}

template <class T>
std::vector<T> numbers(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  std::vector<T> v(size);
  for (T& x : v) x = static_cast<T>(normal(random));
  return v;
}

enum class form { plain, log };

template <class T>
void run_in(form f, extents e, T const* x, T* y) {
  if (f == form::log)
    kernels_detail::for_each_row("test", space(), e.rows, e.n, kernels_detail::softmax_kernel<T, true>{x, y, e.n});
  else
    kernels_detail::for_each_row("test", space(), e.rows, e.n, kernels_detail::softmax_kernel<T, false>{x, y, e.n});
}
template <class T>
void run_vjp_in(form f, extents e, T const* y, T const* d_y, T* d_x) {
  if (f == form::log)
    kernels_detail::for_each_row("test", space(), e.rows, e.n,
                                 kernels_detail::softmax_vjp_kernel<T, true>{y, d_y, d_x, e.n});
  else
    kernels_detail::for_each_row("test", space(), e.rows, e.n,
                                 kernels_detail::softmax_vjp_kernel<T, false>{y, d_y, d_x, e.n});
}
template <class T>
std::vector<T> run(form f, extents e, std::vector<T> const& x) {
  auto const in = to_device(x);
  device_array<T> const out("test", x.size());
  run_in<T>(f, e, in.data(), out.data());
  return to_host(out);
}
template <class T>
std::vector<T> run_vjp(form f, extents e, std::vector<T> const& y, std::vector<T> const& d_y) {
  auto const out = to_device(y), d_out = to_device(d_y);
  device_array<T> const d_in("test", y.size());
  run_vjp_in<T>(f, e, out.data(), d_out.data(), d_in.data());
  return to_host(d_in);
}

std::vector<long double> by_definition(form f, extents e, auto const& x) {
  std::vector<long double> y(x.size());
  for (index_t r = 0; r < e.rows; ++r) {
    long double sum = 0;
    for (index_t j = 0; j < e.n; ++j) sum += std::exp(static_cast<long double>(x[e.at(r, j)]));
    for (index_t j = 0; j < e.n; ++j) {
      long double const v = x[e.at(r, j)];
      y[e.at(r, j)] = f == form::log ? v - std::log(sum) : std::exp(v) / sum;
    }
  }
  return y;
}

}  // namespace

TEST_CASE_TEMPLATE("softmax is its definition", T, float, double) {
  for (extents e : all_extents())
    for (form f : {form::plain, form::log}) {
      INFO(e.rows, " x ", e.n);
      auto const x = numbers<T>(e.size(), 1);
      auto const y = run(f, e, x);
      auto const expected = by_definition(f, e, x);
      double worst = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        worst = test::larger(worst, static_cast<double>(std::abs(y[i] - expected[i]) / (1 + std::abs(expected[i]))));
      CHECK(worst <= 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
}

TEST_CASE("vjps are finite differences") {
  for (extents e : all_extents())
    for (form f : {form::plain, form::log}) {
      if (e.size() > 600) continue;
      INFO(e.rows, " x ", e.n);
      auto x = numbers<double>(e.size(), 1);
      auto const weight = numbers<double>(e.size(), 2);
      auto const d_x = run_vjp(f, e, run(f, e, x), weight);
      auto const objective = [&] {
        auto const y = by_definition(f, e, x);
        long double s = 0;
        for (std::size_t i = 0; i < y.size(); ++i) s += weight[i] * y[i];
        return s;
      };
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        double const was = x[i], h = 1e-5;
        x[i] = was + h;
        long double const up = objective();
        x[i] = was - h;
        long double const down = objective();
        x[i] = was;
        worst = test::larger(worst, std::abs(static_cast<double>((up - down) / (2 * h)) - d_x[i]));
      }
      CHECK(worst < 1e-8);
    }
}

TEST_CASE_TEMPLATE("in place", T, float, double) {
  for (extents e : {extents{10, 37}, extents{7, 1000}})
    for (form f : {form::plain, form::log}) {
      auto const x = numbers<T>(e.size(), 1), d_y = numbers<T>(e.size(), 2), y = run(f, e, x);
      auto const a = to_device(x), b = to_device(y), d = to_device(d_y);
      run_in<T>(f, e, a.data(), a.data());
      CHECK(to_host(a) == y);
      run_vjp_in<T>(f, e, b.data(), d.data(), d.data());
      CHECK(to_host(d) == run_vjp(f, e, y, d_y));
    }
}

TEST_CASE_TEMPLATE("large logits, infinities and NaN", T, float, double) {
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  T const big = std::numeric_limits<T>::max() / 2;
  std::vector<T> const x{big, big, 0,    -big, -big, -big, -inf, 1,    1,  //
                         0,   nan, -inf, nan,  nan,  nan,  -inf, -inf, -inf, inf, 0, 1};
  extents const e{7, 3};
  auto const y = run(form::plain, e, x), l = run(form::log, e, x);
  T const half = T(0.5), third = T(1) / T(3);
  CHECK(std::vector<T>(y.begin(), y.begin() + 9) == std::vector<T>{half, half, 0, third, third, third, 0, half, half});
  CHECK(l[0] == -std::log(T(2)));
  CHECK(l[2] == -big);
  CHECK(l[6] == -inf);
  for (std::size_t i = 9; i < x.size(); ++i) {
    CHECK(std::isnan(y[i]));
    CHECK(std::isnan(l[i]));
  }
}
