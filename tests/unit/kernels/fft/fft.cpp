// labels: sanitizers
// Fourier transforms of one rank's array against sums of exponentials in long double.
#include "ashlar/kernels/fft/fft.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

using namespace ashlar;
using namespace ashlar::transforms;
using namespace test;
using ops_detail::direction;

namespace {

using exact = std::complex<long double>;

template <class T>
kernels::shard<T> whole(T* data, shape const& e) {
  region r{e.rank, {}};
  for (int d = 0; d < e.rank; ++d) r.dim[d] = {0, e[d]};
  return {data, r, e};
}

/// The result of an operation on an array.
template <class Out, class Op, class T>
std::vector<Out> result(Op const& op, std::vector<T> const& x, shape const& from) {
  shape const to = op.extents({}, from);
  auto const in = to_device(x);
  device_array<Out> const out("test", static_cast<std::size_t>(to.size()));
  run(op, space(), new_scratch<>, whole<Out>(out.data(), to), whole<T const>(in.data(), from));
  CHECK(to_host(in) == x);
  return to_host(out);
}

/// exp(sign 2 pi i k / n) for k from 0 to n - 1. The table of the last n is kept.
std::vector<exact> const& roots(long double sign, index_t n) {
  static std::vector<exact> table;
  static long double table_sign = 0;
  if (table.size() != static_cast<std::size_t>(n) || sign != table_sign) {
    table.clear();
    for (index_t k = 0; k < n; ++k) {
      long double const angle =
          sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
      table.emplace_back(std::cos(angle), std::sin(angle));
    }
    table_sign = sign;
  }
  return table;
}
template <class T>
exact number(T const& x) {
  if constexpr (requires { x.imag(); })
    return {x.real(), x.imag()};
  else
    return {x, 0};
}

/// Calls f(line of x, line of y) for the lines of x along a dimension. They are copied, and the lines of y written back.
template <class T, class F>
std::vector<exact> on_lines(std::vector<T> const& x, shape const& from, shape const& to, int dim, F f) {
  std::vector<exact> y(static_cast<std::size_t>(to.size()));
  index_t const inner = from.stride(dim);
  for (index_t line = 0, lines = from.size() / std::max<index_t>(from[dim], 1); line < lines; ++line) {
    std::vector<exact> in, out(static_cast<std::size_t>(to[dim]));
    auto const at = [&](index_t n, index_t k) {
      return static_cast<std::size_t>((line / inner * n + k) * inner + line % inner);
    };
    for (index_t j = 0; j < from[dim]; ++j) in.push_back(number(x[at(from[dim], j)]));
    f(in, out);
    for (index_t k = 0; k < to[dim]; ++k) y[at(to[dim], k)] = out[static_cast<std::size_t>(k)];
  }
  return y;
}
/// out_k = the sum over j of in_j exp(sign 2 pi i j k / n)
void sums(long double sign, index_t n, std::vector<exact> const& in, std::vector<exact>& out) {
  std::vector<exact> const& root = roots(sign, n);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t j = 0; j < in.size(); ++j) out[k] += in[j] * root[j * k % root.size()];
}

/// The largest distance, relative to the largest element.
template <class T>
double distance(std::vector<T> const& found, std::vector<exact> const& expected) {
  REQUIRE(found.size() == expected.size());
  double difference = 0, most = 1e-300;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference = larger(difference, static_cast<double>(std::abs(number(found[i]) - expected[i])));
    most = std::max(most, static_cast<double>(std::abs(expected[i])));
  }
  return difference / most;
}

template <class T>
std::vector<T> numbers(shape const& e, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> v(static_cast<std::size_t>(e.size()));
  for (T& x : v) {
    if constexpr (ops_detail::is_complex_v<T>)
      x = T(static_cast<typename T::value_type>(uniform(random)), static_cast<typename T::value_type>(uniform(random)));
    else
      x = static_cast<T>(uniform(random));
  }
  return v;
}

template <int Dim, class R>
void check_extents(shape const& e) {
  using C = Kokkos::complex<R>;
  double const tolerance = std::is_same_v<R, double> ? 1e-14 : 1e-5;
  index_t const n = e[Dim];
  auto const scaled = [&](std::vector<exact>& out) {
    for (exact& c : out) c /= static_cast<long double>(n);
  };
  CAPTURE(Dim);
  CAPTURE(e.size());
  CAPTURE(n);

  auto const z = numbers<C>(e, 1);
  auto const x = numbers<R>(e, 2);
  auto const forward = [&](auto const& in, auto& out) { sums(-1, n, in, out); };
  auto const backward = [&](auto const& in, auto& out) {
    sums(1, n, in, out);
    scaled(out);
  };
  using fft = ops_detail::fft_op<Dim, direction::forward>;
  using inverse_fft = ops_detail::fft_op<Dim, direction::inverse>;
  CHECK(distance(result<C>(fft{}, z, e), on_lines(z, e, e, Dim, forward)) < tolerance);
  CHECK(distance(result<C>(fft{}, x, e), on_lines(x, e, e, Dim, forward)) < tolerance);
  CHECK(distance(result<C>(inverse_fft{}, z, e), on_lines(z, e, e, Dim, backward)) < tolerance);
  CHECK(distance(result<C>(inverse_fft{}, x, e), on_lines(x, e, e, Dim, backward)) < tolerance);

  shape half = e;
  half[Dim] = n == 0 ? 0 : n / 2 + 1;
  auto const coefficients = numbers<C>(half, 3);
  CHECK(distance(result<C>(ops_detail::rfft_op<Dim>{}, x, e), on_lines(x, e, half, Dim, forward)) < tolerance);
  // All n coefficients follow from half of them, of which 0 and n / 2 are real.
  CHECK(distance(result<R>(ops_detail::inverse_rfft_op<Dim>({}, n), coefficients, half),
                 on_lines(coefficients, half, e, Dim, [&](auto const& in, auto& out) {
                   std::vector<exact> all(static_cast<std::size_t>(n));
                   for (index_t k = 0; k < n; ++k) {
                     auto const mirrored = static_cast<std::size_t>(n - k);
                     auto const own = static_cast<std::size_t>(k);
                     all[own] = 2 * k <= n ? in[own] : std::conj(in[mirrored]);
                     if (k == 0 || 2 * k == n) all[own] = all[own].real();
                   }
                   backward(all, out);
                 })) < tolerance);
  // The transposes, from the definition: of the real part of the pairing.
  CHECK(distance(result<R>(ops_detail::rfft_transpose_op<Dim>({}, n), coefficients, half),
                 on_lines(coefficients, half, e, Dim, [&](auto const& in, auto& out) {
                   forward(in, out);
                   for (exact& c : out) c = c.real();
                 })) < tolerance);
  CHECK(distance(result<C>(ops_detail::inverse_rfft_transpose_op<Dim>{}, x, e),
                 on_lines(x, e, half, Dim, [&](auto const& in, auto& out) {
                   backward(in, out);
                   for (index_t k = 0; k < half[Dim]; ++k)
                     if (k != 0 && 2 * k != n) out[static_cast<std::size_t>(k)] *= 2;
                 })) < tolerance);
}

}  // namespace

TEST_CASE_TEMPLATE("lines of many lengths along each dimension", R, double, float) {
  for (index_t n : {0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 27, 31, 37, 64}) {
    check_extents<0, R>(shape::of(n));
    check_extents<0, R>(shape::of(n, 3, 5));
    check_extents<1, R>(shape::of(2, n, 5));
    check_extents<2, R>(shape::of(3, 2, n));
    check_extents<2, R>(shape::of(2, 1, n, 3));
  }
  check_extents<1, R>(shape::of(3, 8, 0));
  check_extents<1, R>(shape::of(0, 8, 3));
}
TEST_CASE("arrays that are transformed in many tasks" * doctest::test_suite("nightly")) {
  check_extents<0, double>(shape::of(61, 701));
  check_extents<0, double>(shape::of(64, 512));
  check_extents<1, double>(shape::of(601, 60));
  check_extents<1, double>(shape::of(33, 24, 50));
  check_extents<1, float>(shape::of(37, 30, 51));
}
TEST_CASE("dimensions with few lines on one side") {
  check_extents<1, double>(shape::of(40, 12, 3));
  check_extents<1, double>(shape::of(3, 12, 40));
  check_extents<1, float>(shape::of(3, 11, 41));
  check_extents<1, float>(shape::of(9, 12, 9));
}
namespace {

/// The transform along dimension Dim of an array of which several arrays have parts. A part ends at each of `ends`. Its
/// array also has indices of another dimension that are not transformed.
template <int Dim, class T>
void check_parts(shape const& e, std::vector<index_t> const& ends) {
  if constexpr (kernels_detail::runs_in_caller<space>) {
    using C = Kokkos::complex<double>;
    auto const x = numbers<T>(e, 7);
    std::vector<std::vector<T>> arrays;
    kernels_detail::lines_in_parts<T> lines;
    index_t begin = 0;
    for (index_t end : ends) {
      shape held = e;
      held[Dim] = end - begin;
      held[Dim == 0 ? 1 : 0] += 2;
      std::vector<T> part(static_cast<std::size_t>(held.size()), T(99));
      kernels_detail::row_major_strides const there(held), here(e);
      index_t const first = there.stride[Dim == 0 ? 1 : 0];
      for (index_t i = 0; i < e[0]; ++i)
        for (index_t j = 0; j < e[1]; ++j)
          for (index_t k = 0; k < e[2]; ++k) {
            index_t at[3]{i, j, k};
            if (at[Dim] < begin || at[Dim] >= end) continue;
            index_t const from = i * here.stride[0] + j * here.stride[1] + k;
            at[Dim] -= begin;
            part[static_cast<std::size_t>(first + at[0] * there.stride[0] + at[1] * there.stride[1] + at[2])] =
                x[static_cast<std::size_t>(from)];
          }
      kernels_detail::nest_builder<1> across;
      for (int d = 0; d < 3; ++d)
        if (d != Dim) across.add(e[d], {there.stride[d]});
      lines.parts.push_back({0, begin, end - begin, there.stride[Dim], across.nest()});
      lines.parts.back().across.origin[0] = first;
      arrays.push_back(std::move(part));
      begin = end;
    }
    for (auto const& a : arrays) lines.data.push_back(a.data());
    ops_detail::fft_op<Dim, direction::inverse> const op;
    std::vector<C> y(x.size());
    run(op, space(), new_scratch<>, whole<C>(y.data(), e), lines);
    CHECK(distance(y, on_lines(x, e, e, Dim, [&](auto const& in, auto& out) {
                     sums(1, e[Dim], in, out);
                     for (exact& c : out) c /= static_cast<long double>(e[Dim]);
                   })) < 1e-14);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("lines of which several arrays have parts", T, double, Kokkos::complex<double>) {
  check_parts<0, T>(shape::of(7, 3, 5), {2, 7});
  check_parts<0, T>(shape::of(12, 3, 50), {5, 6, 12});
  check_parts<1, T>(shape::of(5, 12, 3), {4, 12});
  check_parts<1, T>(shape::of(3, 9, 90), {9});
  check_parts<2, T>(shape::of(50, 3, 64), {1, 20, 64});
  check_parts<2, T>(shape::of(1, 2, 8), {3, 8});
}
TEST_CASE("measured plans have the same results") {
  set_fft_effort(fft_effort::measure);
  check_extents<0, double>(shape::of(20, 3, 5));
  check_extents<1, double>(shape::of(2, 27, 5));
  check_extents<2, float>(shape::of(3, 2, 16));
  set_fft_effort(fft_effort::estimate);
}
