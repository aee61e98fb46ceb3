// Eigenvalues and singular values: the matrix times the vectors, orthonormal vectors, and the order of the values.
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/svd.hpp"
#include "linalg_test.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class T, class V>
matrix_of<T> times_diagonal(matrix_of<T> a, V const& values) {
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < a.columns; ++j) a(i, j) *= values(j, 0);
  return a;
}

template <class L, class T>
void decompose(device_mesh<grid> const& m, index_t n, T) {
  CAPTURE(n);
  auto const a = generate<T, L>(m, {n, n}, hermitian<T>{0});
  auto const before = dense_of(a);
  auto const [values, vectors] = linalg::eigh(a);
  static_assert(std::is_same_v<layout_t<decltype(vectors)>, linalg::block_cyclic_t<L>>);
  auto const v = dense_of(vectors);
  auto const w = dense_of(values);
  for (index_t i = 1; i < n; ++i) CHECK(w(i - 1, 0) <= w(i, 0));
  CHECK(distance(product(before, v), times_diagonal(v, w)) < 10 * rounding<T>);
  CHECK(distance(product(adjoint(v), v), identity<T>(n)) < rounding<T>);
  CHECK(dense_of(a).e == before.e);
}

template <class L, class T>
void take_apart(device_mesh<grid> const& m, index_t rows, index_t columns, T) {
  CAPTURE(rows);
  CAPTURE(columns);
  auto const a = generate<T, L>(m, {rows, columns}, general<T>{1});
  auto const before = dense_of(a);
  auto const [u, s, vh] = linalg::svd(a);
  index_t const k = std::min(rows, columns);
  auto const dense_u = dense_of(u), dense_vh = dense_of(vh);
  auto const values = dense_of(s);
  for (index_t i = 0; i < k; ++i) CHECK(values(i, 0) >= 0);
  for (index_t i = 1; i < k; ++i) CHECK(values(i - 1, 0) >= values(i, 0));
  CHECK(distance(product(times_diagonal(dense_u, values), dense_vh), before) < 10 * rounding<T>);
  CHECK(distance(product(adjoint(dense_u), dense_u), identity<T>(k)) < rounding<T>);
  CHECK(distance(product(dense_vh, adjoint(dense_vh)), identity<T>(k)) < rounding<T>);
  CHECK(dense_of(a).e == before.e);
}

}  // namespace

TEST_CASE("eigh: A V = V diag(w), in every layout and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t n : {1, 2, 7}) decompose<layout<cyclic("p", 2), cyclic("q", 2)>>(m, n, t);
      decompose<layout<cyclic("q", 3), cyclic("p", 3)>>(m, 10, t);
      decompose<layout<axes("p", "q"), none>>(m, 9, t);
      decompose<layout<none, none>>(m, 6, t);
      decompose<layout<none, none>>(m, 0, t);
    });
    decompose<layout<"p", "q">>(m, 70, 1.);
  });
}

TEST_CASE("svd: A = U diag(s) V^H for tall, square and wide matrices") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t rows : {1, 4, 9}) take_apart<layout<cyclic("p", 2), cyclic("q", 2)>>(m, rows, 4, t);
      take_apart<layout<cyclic("q", 3), cyclic("p", 3)>>(m, 7, 10, t);
      take_apart<layout<axes("p", "q"), none>>(m, 9, 5, t);
      take_apart<layout<none, none>>(m, 3, 6, t);
    });
    take_apart<layout<"p", "q">>(m, 70, 66, 1.);
  });
}
