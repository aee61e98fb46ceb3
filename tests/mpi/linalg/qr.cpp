// QR factors and least squares: the product of the factors, orthonormal columns, residuals normal to the columns.
#include "ashlar/linalg/qr.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "linalg_test.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class L, class T>
void factor(device_mesh<grid> const& m, index_t rows, index_t columns, T) {
  CAPTURE(rows);
  CAPTURE(columns);
  auto const a = generate<T, L>(m, {rows, columns}, general<T>{1});
  auto const before = dense_of(a);
  auto const [q, r] = linalg::qr(a);
  static_assert(std::is_same_v<layout_t<decltype(q)>, linalg::block_cyclic_t<L>>);
  auto const dense_q = dense_of(q), dense_r = dense_of(r);
  CHECK(distance(product(dense_q, dense_r), before) < rounding<T>);
  CHECK(distance(product(adjoint(dense_q), dense_q), identity<T>(std::min(rows, columns))) < rounding<T>);
  for (index_t i = 0; i < dense_r.rows; ++i)
    for (index_t j = 0; j < std::min(i, columns); ++j) CHECK(dense_r(i, j) == T(0));
  CHECK(dense_of(a).e == before.e);
}

// The residual is normal to the columns of A.
template <class La, class Lb, class T>
void fit(device_mesh<grid> const& m, index_t rows, index_t columns, index_t sides, T) {
  CAPTURE(rows);
  CAPTURE(columns);
  auto const a = generate<T, La>(m, {rows, columns}, general<T>{1});
  auto const b = generate<T, Lb>(m, {rows, sides}, general<T>{2});
  auto const x = linalg::lstsq(a, b);
  static_assert(std::is_same_v<layout_t<decltype(x)>, Lb>);
  CHECK(x.extents() == shape::of(columns, sides));
  auto const adjoint_a = adjoint(dense_of(a));
  CHECK(distance(product(adjoint_a, product(dense_of(a), dense_of(x))), product(adjoint_a, dense_of(b))) <
        10 * rounding<T>);
}

}  // namespace

TEST_CASE("qr: A = Q R for tall, square and wide matrices in every layout and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t rows : {1, 4, 9, 13}) {
        factor<layout<cyclic("p", 2), cyclic("q", 2)>>(m, rows, 4, t);
        factor<layout<cyclic("q", 3), cyclic("p", 3)>>(m, rows, 9, t);
      }
      factor<layout<"p", "q">>(m, 70, 66, t);
      factor<layout<axes("p", "q"), none>>(m, 9, 5, t);
      factor<layout<none, none>>(m, 3, 6, t);
      factor<layout<cyclic("p", 2), cyclic("q", 2)>>(m, 0, 6, t);
    });
  });
}

TEST_CASE("lstsq: the residual is normal to the columns, in every layout and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      using L = layout<cyclic("p", 2), cyclic("q", 2)>;
      for (index_t rows : {4, 9, 13}) fit<L, L>(m, rows, 4, 3, t);
      fit<layout<cyclic("q", 3), cyclic("p", 3)>, layout<"p", "q">>(m, 11, 5, 6, t);
      fit<layout<"p", none>, layout<none, none>>(m, 9, 2, 1, t);
    });
    auto const a = generate<double, layout<"p", "q">>(m, {9, 3}, general<double>{1});
    auto b = make<double, layout<"q">>(m, {9});
    fill(b, 1.);
    auto const x = linalg::lstsq(a, b);
    CHECK(x.extents() == shape::of(3));
    auto const adjoint_a = adjoint(dense_of(a));
    CHECK(distance(product(adjoint_a, product(dense_of(a), dense_of(x))), product(adjoint_a, dense_of(b))) < 1e-12);
    CHECK(said([&] {
            (void)linalg::lstsq(transpose<1, 0>(a), generate<double, layout<"p", "q">>(m, {3, 1}, general<double>{}));
          }).starts_with("ashlar::linalg::lstsq: the matrix has at least as many rows as columns"));
  });
}
