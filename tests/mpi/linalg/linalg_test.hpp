// What the tests of solvers share: matrices of numbers that do not depend on the layout, and dense arrays as the oracle.
#pragma once
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/environment.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <complex>
#include <cstdint>
#include <string>

namespace ashlar::test {

using grid = mesh<axis<"p">, axis<"q">>;
template <class T>
using complex_of = Kokkos::complex<T>;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Kokkos::complex<R>> = true;

/// A number in [-1, 1] that two indices and a seed decide.
KOKKOS_FUNCTION constexpr double number_at(index_t i, index_t j, index_t seed) {
  std::uint64_t x = static_cast<std::uint64_t>((seed * 1000 + i) * 1000 + j) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) % 2003) / 1001 - 1;
}
template <class T>
KOKKOS_FUNCTION T element_of(double re, double im) {
  if constexpr (is_complex<T>)
    return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
  else
    return static_cast<T>(re);
}

/// Elements of no symmetry.
template <class T>
struct general {
  index_t seed = 1;
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const {
    return element_of<T>(number_at(i, j, seed), number_at(j, i, seed + 1));
  }
};
/// A symmetric or Hermitian matrix. It is positive definite if `more` exceeds n * 1.5.
template <class T>
struct hermitian {
  double more;
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const {
    if (i == j) return element_of<T>(number_at(i, i, 3) + more, 0);
    double const re = i < j ? number_at(i, j, 3) : number_at(j, i, 3);
    double const im = i < j ? number_at(i, j, 4) : -number_at(j, i, 4);
    return element_of<T>(re, im);
  }
};

/// A dense row-major matrix on every rank.
template <class T>
struct matrix_of {
  index_t rows = 0, columns = 0;
  std::vector<T> e;
  T& operator()(index_t i, index_t j) { return e[static_cast<std::size_t>(i * columns + j)]; }
  T operator()(index_t i, index_t j) const { return e[static_cast<std::size_t>(i * columns + j)]; }
};
template <class X>
auto dense_of(X const& x) {
  return matrix_of<element_t<X>>{x.extent(0), x.extents().rank > 1 ? x.extent(1) : 1, gather_all(x)};
}
template <class T>
T conjugate(T x) {
  if constexpr (is_complex<T>)
    return Kokkos::conj(x);
  else
    return x;
}
template <class T>
matrix_of<T> adjoint(matrix_of<T> const& a) {
  matrix_of<T> y{a.columns, a.rows, std::vector<T>(a.e.size())};
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < a.columns; ++j) y(j, i) = conjugate(a(i, j));
  return y;
}
template <class T>
matrix_of<T> product(matrix_of<T> const& a, matrix_of<T> const& b) {
  matrix_of<T> y{a.rows, b.columns, std::vector<T>(static_cast<std::size_t>(a.rows * b.columns))};
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t k = 0; k < a.columns; ++k)
      for (index_t j = 0; j < b.columns; ++j) y(i, j) += a(i, k) * b(k, j);
  return y;
}
template <class T>
matrix_of<T> identity(index_t n) {
  matrix_of<T> y{n, n, std::vector<T>(static_cast<std::size_t>(n * n))};
  for (index_t i = 0; i < n; ++i) y(i, i) = T(1);
  return y;
}
/// The largest distance of two elements, divided by the largest element of b.
template <class T>
double distance(matrix_of<T> const& a, matrix_of<T> const& b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.columns == b.columns);
  double most = 0, largest = 1e-30;
  for (std::size_t k = 0; k < a.e.size(); ++k) {
    most = std::max(most, static_cast<double>(Kokkos::abs(a.e[k] - b.e[k])));
    largest = std::max(largest, static_cast<double>(Kokkos::abs(b.e[k])));
  }
  return most / largest;
}
template <class T>
constexpr double rounding = sizeof(T) / (is_complex<T> ? 2 : 1) == 4 ? 2e-4 : 1e-11;

/// Calls f(T{}) for each element type.
template <class F>
void for_each_element_type(F f) {
  f(float{});
  f(double{});
  f(Kokkos::complex<float>{});
  f(Kokkos::complex<double>{});
}

template <class F>
void on_every_grid(F f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    f(device_mesh<grid>(MPI_COMM_WORLD, sizes));
  });
}

}  // namespace ashlar::test
