// Solvers of every shape of 0 to 5 by 0 to 5, and of matrices that hold NaN or infinity: all end, on every number of ranks.
#include "ashlar/linalg/cholesky.hpp"
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "ashlar/linalg/lu.hpp"
#include "ashlar/linalg/qr.hpp"
#include "ashlar/linalg/svd.hpp"
#include "ashlar/linalg/tall_skinny_qr.hpp"
#include "ashlar/linalg/triangular_solve.hpp"
#include "linalg_test.hpp"
#include <limits>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using tiles = layout<cyclic("p", 2), cyclic("q", 2)>;
using rows = layout<axes("p", "q"), none>;

// The columns of u, each times a number.
template <class S>
matrix_of<double> times_diagonal(matrix_of<double> u, S const& s) {
  for (index_t i = 0; i < u.rows; ++i)
    for (index_t j = 0; j < u.columns; ++j) u(i, j) *= s(j, 0);
  return u;
}
struct dominant {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return general<double>{}(i, j) + (i == j ? 12 : 0); }
};

template <class L>
void factor_every_shape(device_mesh<grid> const& m, index_t most) {
  for (index_t r = 0; r <= most; ++r)
    for (index_t c = 0; c <= most; ++c) {
      CAPTURE(r);
      CAPTURE(c);
      auto const a = generate<double, L>(m, {r, c}, dominant{});
      auto const dense = dense_of(a);
      auto const [u, s, vh] = linalg::svd(a);
      static_assert(std::is_same_v<layout_t<decltype(u)>, linalg::block_cyclic_t<L>>);
      CHECK(distance(product(times_diagonal(dense_of(u), dense_of(s)), dense_of(vh)), dense) < 1e-13);
      auto const f = linalg::qr(a);
      CHECK(distance(product(dense_of(f.q), dense_of(f.r)), dense) < 1e-13);
      if (r >= c) CHECK(distance(dense_of(linalg::lstsq(a, a)), identity<double>(c)) < 1e-13);
      if (r >= c && std::is_same_v<L, rows>) {
        auto const t = linalg::tall_skinny_qr(redistribute<rows>(a));
        CHECK(distance(product(dense_of(t.q), dense_of(t.r)), dense) < 1e-13);
      }
    }
}

template <class L>
void factor_every_square(device_mesh<grid> const& m) {
  for (index_t n = 0; n <= 5; ++n) {
    CAPTURE(n);
    auto const a = generate<double, L>(m, {n, n}, dominant{}),
               h = generate<double, L>(m, {n, n}, hermitian<double>{12});
    CHECK(distance(dense_of(linalg::solve(a, a)), identity<double>(n)) < 1e-13);
    auto const l = linalg::cholesky(h);
    CHECK(distance(product(dense_of(l), adjoint(dense_of(l))), dense_of(h)) < 1e-13);
    CHECK(distance(dense_of(linalg::triangular_solve(l, l)), identity<double>(n)) < 1e-13);
    auto const [values, v] = linalg::eigh(h);
    CHECK(distance(product(times_diagonal(dense_of(v), dense_of(values)), adjoint(dense_of(v))), dense_of(h)) < 1e-13);
  }
}

// A positive definite matrix with one other element, or two if it stays symmetric.
template <class T>
struct spoiled {
  index_t i, j;
  T by;
  KOKKOS_FUNCTION T operator()(index_t k, index_t l) const { return k == i && l == j ? by : hermitian<T>{20}(k, l); }
};
bool is_not_finite(std::string const& sentence) {
  return sentence.starts_with(
      "ashlar::linalg: an element of the matrix or of the right-hand side is NaN or infinite; give finite numbers");
}

template <class T>
void spoil(device_mesh<grid> const& m, T by, std::initializer_list<std::pair<int, int>> places = {{4, 1}}) {
  auto const good = generate<T, tiles>(m, {6, 6}, hermitian<T>{20});
  for (auto const& place : places) {  // in the lower triangle
    index_t const i = place.first, j = place.second;
    CAPTURE(i);
    auto const bad = generate<T, tiles>(m, {6, 6}, spoiled<T>{i, j, by});
    CHECK(is_not_finite(said([&] { (void)linalg::svd(bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::eigh(bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::cholesky(bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::lu(bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::qr(bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::lstsq(bad, good); })));
    CHECK(is_not_finite(said([&] { (void)linalg::lstsq(good, bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::solve(good, bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::triangular_solve(bad, good); })));
    CHECK(is_not_finite(said([&] { (void)linalg::triangular_solve(good, bad); })));
    CHECK(is_not_finite(said([&] { (void)linalg::tall_skinny_qr(redistribute<rows>(bad)); })));
  }
  auto const above = generate<T, tiles>(m, {6, 6}, spoiled<T>{1, 4, by});  // which these do not read
  CHECK(distance(dense_of(linalg::cholesky(above)), dense_of(linalg::cholesky(good))) == 0);
  CHECK(distance(dense_of(linalg::eigh(above).values), dense_of(linalg::eigh(good).values)) == 0);
  CHECK(distance(dense_of(linalg::triangular_solve(above, good)), dense_of(linalg::triangular_solve(good, good))) == 0);
}

// Finite numbers whose factor overflows: in the last place the square root is one of NaN.
struct overflowing {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const {
    if (i == j) return i == 0 ? 1e-300 : 1;
    return i + j == 2 ? 1e200 : 0;
  }
};

}  // namespace

TEST_CASE("svd, qr, lstsq and tall_skinny_qr of every small shape") {
  on_every_grid([](auto const& m) {
    factor_every_shape<tiles>(m, 5);
    factor_every_shape<rows>(m, 3);
    factor_every_shape<layout<none, axes("q", "p")>>(m, 2);
    factor_every_shape<layout<none, none>>(m, 2);
  });
}

TEST_CASE("lu, cholesky, triangular_solve and eigh of every small matrix") {
  on_every_grid([](auto const& m) {
    factor_every_square<tiles>(m);
    factor_every_square<rows>(m);
  });
}

TEST_CASE("svd of a column and of a row of two elements, against their norm") {
  on_every_grid([](auto const& m) {
    auto const element = KOKKOS_LAMBDA(index_t i, index_t j) { return i + j == 0 ? 3. : 4.; };
    for (auto const& s : {gather_all(linalg::svd(generate<double, tiles>(m, {2, 1}, element)).s),
                          gather_all(linalg::svd(generate<double, tiles>(m, {1, 2}, element)).s)}) {
      REQUIRE(s.size() == 1);
      CHECK(std::abs(s[0] - 5) < 1e-14);
    }
  });
}

TEST_CASE("NaN and infinity are one sentence of every solver on every rank, unless it does not read them") {
  on_every_grid([](auto const& m) {
    spoil<double>(m, std::numeric_limits<double>::quiet_NaN(), {{0, 0}, {5, 5}, {4, 1}});
    spoil<double>(m, -std::numeric_limits<double>::infinity());
    spoil<float>(m, std::numeric_limits<float>::infinity());
    spoil<Kokkos::complex<double>>(m, {1, std::numeric_limits<double>::quiet_NaN()});
  });
}

TEST_CASE("svd and eigh of numbers near the largest and the least double end") {
  on_every_grid([](auto const& m) {
    auto const a = generate<double, tiles>(m, {5, 4}, dominant{});
    auto const h = generate<double, tiles>(m, {5, 5}, hermitian<double>{20});
    for (double by : {1e305, 1e-305}) {
      CAPTURE(by);
      CHECK(distance(dense_of(linalg::svd(a * by).s / by), dense_of(linalg::svd(a).s)) < 1e-13);
      CHECK(distance(dense_of(linalg::eigh(h * by).values / by), dense_of(linalg::eigh(h).values)) < 1e-13);
    }
  });
}

TEST_CASE("cholesky does not take the root of NaN that an overflow makes") {
  on_every_grid([](auto const& m) {
    CHECK(said([&] {
            (void)linalg::cholesky(generate<double, tiles>(m, {3, 3}, overflowing{}));
          }).starts_with("ashlar::linalg::cholesky: the matrix is not positive definite"));
  });
}
