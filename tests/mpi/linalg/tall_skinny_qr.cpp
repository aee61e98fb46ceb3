// QR factors by one collective: their product, orthonormal columns, and the signs of the diagonal.
#include "ashlar/linalg/tall_skinny_qr.hpp"
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
  index_t const gathers = m.collectives_run(collective::all_gather), all = m.collectives_run();
  auto const [q, r] = linalg::tall_skinny_qr(a);
  int const ranks = m.sizes().ranks(a.layout.sharding());
  CHECK(m.collectives_run(collective::all_gather) - gathers == (ranks > 1 ? 1 : 0));
  CHECK(m.collectives_run() - all == (ranks > 1 ? 1 : 0));
  static_assert(std::is_same_v<layout_t<decltype(q)>, L>);
  static_assert(std::is_same_v<layout_t<decltype(r)>, layout<none, none>>);
  auto const dense_q = dense_of(q), dense_r = dense_of(r);
  CHECK(distance(product(dense_q, dense_r), before) < rounding<T>);
  CHECK(distance(product(adjoint(dense_q), dense_q), identity<T>(columns)) < rounding<T>);
  for (index_t i = 0; i < columns; ++i) {
    for (index_t j = 0; j < i; ++j) CHECK(dense_r(i, j) == T(0));
    CHECK(dense_r(i, i) == T(Kokkos::abs(dense_r(i, i))));
    CHECK(Kokkos::abs(dense_r(i, i)) > 0);
  }
  CHECK(dense_of(a).e == before.e);
}

}  // namespace

TEST_CASE("tall_skinny_qr: A = Q R by one all_gather, with uneven, short and empty shards") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t rows : {4, 5, 9, 50}) {
        factor<layout<axes("p", "q"), none>>(m, rows, 4, t);
        factor<layout<"q", none>>(m, rows, 3, t);
        factor<layout<cyclic(axes("q", "p"), 2), none>>(m, rows, 4, t);
      }
      factor<layout<none, none>>(m, 6, 2, t);
      factor<layout<"p", none>>(m, 1, 1, t);
    });
  });
}

TEST_CASE("tall_skinny_qr of dependent columns and of no columns") {
  on_every_grid([](auto const& m) {
    auto a = make<double, layout<axes("p", "q"), none>>(m, {11, 3});
    fill(a, 2.);
    auto const [q, r] = linalg::tall_skinny_qr(a);
    CHECK(distance(product(dense_of(q), dense_of(r)), dense_of(a)) < 1e-14);
    CHECK(distance(product(adjoint(dense_of(q)), dense_of(q)), identity<double>(3)) < 1e-14);
    CHECK(linalg::tall_skinny_qr(make<double, layout<"p", none>>(m, {5, 0})).r.extents() == shape::of(0, 0));
    CHECK(said([&] {
            (void)linalg::tall_skinny_qr(make<double, layout<"p", none>>(m, {2, 3}));
          })
              .starts_with(
                  "ashlar::linalg::tall_skinny_qr: the matrix has at least as many rows as columns; found (2, 3)"));
  });
}

TEST_CASE("tall_skinny_qr is one all_gather of triangles in a dry run") {
  constexpr auto program = [](auto const& m) {
    (void)linalg::tall_skinny_qr(make<double, layout<axes("p", "q"), none>>(m, {1000, 8}));
  };
  static_assert(dry_run(grid{{2, 2}}, program).count() == 1);
  static_assert(dry_run(grid{{2, 2}}, program).count(collective::all_gather, axes("p", "q")) == 1);
  static_assert(dry_run(grid{{2, 2}}, program).bytes_per_rank() == 3 * 8 * 8 * 8);
}
