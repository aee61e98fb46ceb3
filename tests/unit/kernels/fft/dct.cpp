// Cosine and sine transforms of one rank's array, and their transposes, against the matrices of their definitions.
#include "ashlar/kernels/fft/dct.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <numbers>

using namespace ashlar;
using namespace test;
using ops_detail::wave;

namespace {

template <class T>
kernels::shard<T> whole(T* data, shape const& e) {
  region r{e.rank, {}};
  for (int d = 0; d < e.rank; ++d) r.dim[d] = {0, e[d]};
  return {data, r, e};
}

/// Row k and column j of a transform of n numbers, as scipy.fft documents them for norm=None.
long double entry(wave w, int type, index_t n, index_t k, index_t j) {
  auto const real = [](index_t i) { return static_cast<long double>(i); };
  long double const pi = std::numbers::pi_v<long double>, half = 0.5L;
  if (w == wave::cosine) {
    if (type == 1) return (j == 0 || j == n - 1 ? 1 : 2) * std::cos(pi * real(j * k) / real(n - 1));
    if (type == 2) return 2 * std::cos(pi * (real(j) + half) * real(k) / real(n));
    if (type == 3) return j == 0 ? 1 : 2 * std::cos(pi * real(j) * (real(k) + half) / real(n));
    return 2 * std::cos(pi * (real(j) + half) * (real(k) + half) / real(n));
  }
  if (type == 1) return 2 * std::sin(pi * real((j + 1) * (k + 1)) / real(n + 1));
  if (type == 2) return 2 * std::sin(pi * (real(j) + half) * real(k + 1) / real(n));
  if (type == 3)
    return j == n - 1 ? (k % 2 == 0 ? 1 : -1) : 2 * std::sin(pi * real(j + 1) * (real(k) + half) / real(n));
  return 2 * std::sin(pi * (real(j) + half) * (real(k) + half) / real(n));
}

template <class T>
T number(index_t g) {
  double const x = std::sin(static_cast<double>(g * g % 1009) + 0.3);
  if constexpr (ops_detail::is_complex_v<T>)
    return T(static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(std::cos(3 * x)));
  else
    return static_cast<T>(x);
}

template <class T>
long double part(T const& x, int which) {
  if constexpr (ops_detail::is_complex_v<T>)
    return which == 0 ? x.real() : x.imag();
  else
    return which == 0 ? x : 0;
}

template <class T, int Dim, wave W, int Type, bool Transposed>
void check(shape const& e) {
  using R = ops_detail::component_t<T>;
  ops_detail::dct_op<Dim, W, Type, Transposed> const op(0.75);
  index_t const n = e[Dim], inner = e.stride(Dim);
  std::vector<T> x(static_cast<std::size_t>(e.size()));
  for (index_t g = 0; g < e.size(); ++g) x[static_cast<std::size_t>(g)] = number<T>(g);
  auto const in = to_device(x);
  device_array<T> const out("test", x.size());
  run(op, space(), new_scratch<>, whole<T>(out.data(), e), whole<T const>(in.data(), e));
  CHECK(to_host(in) == x);
  auto const y = to_host(out);
  double difference = 0, most = 1e-300;
  for (index_t g = 0; g < e.size(); ++g)
    for (int p = 0; p < 2; ++p) {
      index_t const k = g / inner % n;
      long double sum = 0;
      for (index_t j = 0; j < n; ++j)
        sum += part(x[static_cast<std::size_t>(g + (j - k) * inner)], p) *
               (Transposed ? entry(W, Type, n, j, k) : entry(W, Type, n, k, j));
      difference =
          larger(difference, static_cast<double>(std::abs(0.75L * sum - part(y[static_cast<std::size_t>(g)], p))));
      most = std::max(most, static_cast<double>(std::abs(sum)));
    }
  CAPTURE(n);
  CAPTURE(Type);
  CAPTURE(Transposed);
  CAPTURE(W == wave::sine);
  CHECK(difference / most < (std::is_same_v<R, double> ? 1e-14 : 1e-5));
}

template <class T, int Dim, wave W, int... Type>
void check_types(shape const& e) {
  (check<T, Dim, W, Type, false>(e), ...);
  (check<T, Dim, W, Type, true>(e), ...);
}
template <class T, int Dim>
void check_extents(shape const& e) {
  check_types<T, Dim, wave::sine, 1, 2, 3, 4>(e);
  check_types<T, Dim, wave::cosine, 2, 3, 4>(e);
  if (e[Dim] != 1) check_types<T, Dim, wave::cosine, 1>(e);
}

}  // namespace

TEST_CASE_TEMPLATE("types 1 to 4 and their transposes", T, double, float, Kokkos::complex<double>) {
  for (index_t n : {0, 1, 2, 3, 8, 13, 30}) {
    check_extents<T, 0>(shape::of(n, 3));
    check_extents<T, 1>(shape::of(2, n, 5));
    check_extents<T, 1>(shape::of(4, n));
  }
}
namespace {
// What devices compute: a Fourier transform of `period` numbers, here by its definition, between two changes of elements.
template <wave W, int Type, bool Transposed>
void check_by_fourier_transform(index_t n) {
  kernels_detail::wave_matrix const m(W, Type, Transposed, n);
  kernels_detail::wave_operand<double> const before{m};
  kernels_detail::wave_result<double> const after{m, 0.75};
  double difference = 0;
  for (index_t k = 0; k < n; ++k) {
    Kokkos::complex<double> transformed(0, 0);
    long double expected = 0;
    for (index_t j = 0; j < n; ++j) {
      double const x = number<double>(j);
      double const angle =
          -2 * std::numbers::pi * static_cast<double>(j * k % m.period) / static_cast<double>(m.period);
      transformed += Kokkos::complex<double>(std::cos(angle), std::sin(angle)) * before(x, j);
      expected += 0.75L * x * (Transposed ? entry(W, Type, n, j, k) : entry(W, Type, n, k, j));
    }
    difference = larger(difference, static_cast<double>(std::abs(after(transformed, k) - expected)));
  }
  CAPTURE(n);
  CAPTURE(Type);
  CAPTURE(Transposed);
  CAPTURE(W == wave::sine);
  CHECK(difference < 1e-12);
}
template <wave W, int... Type>
void check_types_by_fourier_transform(index_t n) {
  (check_by_fourier_transform<W, Type, false>(n), ...);
  (check_by_fourier_transform<W, Type, true>(n), ...);
}
}  // namespace

TEST_CASE("on devices a transform is a Fourier transform between two changes of elements") {
  for (index_t n : {1, 2, 3, 8, 13, 30}) {
    check_types_by_fourier_transform<wave::sine, 1, 2, 3, 4>(n);
    check_types_by_fourier_transform<wave::cosine, 2, 3, 4>(n);
    if (n != 1) check_types_by_fourier_transform<wave::cosine, 1>(n);
  }
}
TEST_CASE("a cosine transform of type 1 of one number has no definition") {
  using op = ops_detail::dct_op<0, wave::cosine, 1, false>;
  CHECK_THROWS_WITH_AS(op::extents({}, shape::of(1)),
                       doctest::Contains("ashlar::transforms::dct: a cosine transform of type 1"), error);
}
