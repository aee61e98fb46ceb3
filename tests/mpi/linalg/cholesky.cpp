// Cholesky factors of matrices that ranks share, against the product of the factors.
#include "ashlar/linalg/cholesky.hpp"
#include "linalg_test.hpp"
#include <limits>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class L, class T>
void factor(device_mesh<grid> const& m, index_t n, T) {
  CAPTURE(n);
  auto const a = generate<T, L>(m, {n, n}, hermitian<T>{2. * static_cast<double>(n) + 2});
  auto const before = dense_of(a);
  auto const l = linalg::cholesky(a);
  static_assert(std::is_same_v<layout_t<decltype(l)>, linalg::block_cyclic_t<L>>);
  auto const factor = dense_of(l);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = i + 1; j < n; ++j) CHECK(factor(i, j) == T(0));
  CHECK(distance(product(factor, adjoint(factor)), before) < rounding<T>);
  CHECK(dense_of(a).e == before.e);
}

}  // namespace

TEST_CASE("cholesky: L L^H is the matrix, in every layout and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (index_t n : {0, 1, 5, 13}) {
        factor<layout<cyclic("p", 2), cyclic("q", 2)>>(m, n, t);
        factor<layout<cyclic("q", 3), cyclic("p", 3)>>(m, n, t);
      }
      factor<layout<"p", "q">>(m, 70, t);
      factor<layout<axes("p", "q"), none>>(m, 9, t);
      factor<layout<none, cyclic("q", 4)>>(m, 9, t);
      factor<layout<none, none>>(m, 6, t);
      factor<layout<cyclic("p", 2), cyclic("q", 5)>>(m, 12, t);
    });
  });
}

TEST_CASE("cholesky reads the lower triangle alone") {
  on_every_grid([](auto const& m) {
    auto const check = [&]<class L>(L*) {
      auto const a = generate<double, L>(m, {13, 13}, hermitian<double>{30});
      auto const lower = generate<double, L>(
          m, {13, 13}, KOKKOS_LAMBDA(index_t i, index_t j) {
            return i < j ? std::numeric_limits<double>::quiet_NaN() : hermitian<double>{30}(i, j);
          });
      CHECK(distance(dense_of(linalg::cholesky(lower)), dense_of(linalg::cholesky(a))) == 0);
    };
    check(static_cast<layout<cyclic("p", 2), cyclic("q", 2)>*>(nullptr));
    check(static_cast<layout<"q", none>*>(nullptr));
  });
}

TEST_CASE("cholesky of a partial matrix factors the sum") {
  on_every_grid([](auto const& m) {
    using L = layout<cyclic("q", 2), none>;
    auto const a = generate<double, L>(m, {7, 7}, hermitian<double>{20});
    auto const l = linalg::cholesky(as_partial<"p">(a));
    static_assert(std::is_same_v<layout_t<decltype(l)>, L>);
    CHECK(distance(dense_of(l), dense_of(linalg::cholesky(a))) == 0);
  });
}

TEST_CASE("cholesky has one sentence on every rank for a matrix that is not positive definite, or not square") {
  on_every_grid([](auto const& m) {
    using L = layout<cyclic("p", 2), cyclic("q", 2)>;
    auto const a = generate<double, L>(m, {7, 7}, hermitian<double>{-1});
    CHECK(said([&] {
            (void)linalg::cholesky(a);
          }).starts_with("ashlar::linalg::cholesky: the matrix is not positive definite"));
    auto const b = generate<double, L>(m, {7, 6}, hermitian<double>{20});
    CHECK(said([&] { (void)linalg::cholesky(b); }).starts_with("ashlar::linalg: the matrix is square"));
    auto const good = generate<double, L>(m, {7, 7}, hermitian<double>{20});
    CHECK(dense_of(linalg::cholesky(good))(0, 0) > 0);  // the mesh serves on
  });
}

TEST_CASE("a solver is one entry of the ledger, without bytes, in a dry run and on real ranks") {
  constexpr auto program = [](auto const& m) {
    (void)linalg::cholesky(make<double, layout<cyclic("p", 2), cyclic("q", 2)>>(m, {8, 8}));
  };
  static_assert(dry_run(grid{{2, 2}}, program).count(collective::solver, axes("p", "q")) == 1);
  static_assert(dry_run(grid{{2, 2}}, program).count() == 1);
  static_assert(dry_run(grid{{2, 2}}, program).bytes_per_rank() == 0);
  on_every_grid([&](auto const& m) {
    auto const a = generate<double, layout<cyclic("p", 2), cyclic("q", 2)>>(m, {8, 8}, hermitian<double>{20});
    recorder<grid> notes;
    m.record(&notes);
    (void)linalg::cholesky(a);
    m.record(nullptr);
    CHECK(notes.log.count() == (m.size() > 1 ? 1 : 0));
    CHECK(notes.log.bytes_per_rank() == 0);
    CHECK(m.collectives_run(collective::solver) == (m.size() > 1 ? 1 : 0));
  });
}
