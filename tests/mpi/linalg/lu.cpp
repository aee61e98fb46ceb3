// Solutions of linear systems, against the product with the matrix.
#include "ashlar/linalg/lu.hpp"
#include "ashlar/linalg/cholesky.hpp"
#include "ashlar/linalg/triangular_solve.hpp"
#include "linalg_test.hpp"

using namespace ashlar;
using namespace ashlar::test;
using linalg::form;
using linalg::triangle;

namespace {

template <class T>
matrix_of<T> in_form(matrix_of<T> const& a, form how) {
  if (how == form::plain) return a;
  auto y = adjoint(a);
  if (how == form::transpose)
    for (auto& e : y.e) e = conjugate(e);
  return y;
}
template <class T>
matrix_of<T> only(matrix_of<T> a, triangle which) {
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < a.columns; ++j)
      if (which == triangle::lower ? j > i : j < i) a(i, j) = T(0);
  return a;
}

template <class T>
struct vector_elements {
  KOKKOS_FUNCTION T operator()(index_t i) const { return element_of<T>(number_at(i, 1, 5), number_at(i, 2, 5)); }
};

template <class La, class Lb, class T>
void solve_systems(device_mesh<grid> const& m, index_t n, index_t k, T) {
  CAPTURE(n);
  CAPTURE(k);
  auto const a = generate<T, La>(m, {n, n}, general<T>{1});
  auto const triangular = generate<T, La>(m, {n, n}, hermitian<T>{2. * static_cast<double>(n)});
  auto const b = generate<T, Lb>(m, {n, k}, general<T>{7});
  auto const f = linalg::lu(a);
  for (form how : {form::plain, form::transpose, form::adjoint}) {
    auto const x = f.solve(b, how);
    static_assert(std::is_same_v<layout_t<decltype(x)>, Lb>);
    CHECK(distance(product(in_form(dense_of(a), how), dense_of(x)), dense_of(b)) < 10 * rounding<T>);
    for (triangle which : {triangle::lower, triangle::upper}) {
      auto const y = linalg::triangular_solve(triangular, b, which, how);
      static_assert(std::is_same_v<layout_t<decltype(y)>, Lb>);
      CHECK(distance(product(in_form(only(dense_of(triangular), which), how), dense_of(y)), dense_of(b)) < rounding<T>);
    }
  }
  CHECK(distance(product(dense_of(a), dense_of(linalg::solve(a, b))), dense_of(b)) < 10 * rounding<T>);
}

template <class Lv, class T>
void solve_for_a_vector(device_mesh<grid> const& m, index_t n, T) {
  using L = layout<cyclic("p", 2), cyclic("q", 2)>;
  auto const a = generate<T, L>(m, {n, n}, general<T>{1});
  auto const b = generate<T, Lv>(m, {n}, vector_elements<T>{});
  auto const x = linalg::solve(a, b);
  static_assert(std::is_same_v<layout_t<decltype(x)>, Lv>);
  CHECK(distance(product(dense_of(a), dense_of(x)), dense_of(b)) < 10 * rounding<T>);
  auto const l = linalg::cholesky(generate<T, L>(m, {n, n}, hermitian<T>{40}));
  auto const y = linalg::triangular_solve(l, b);
  CHECK(distance(product(dense_of(l), dense_of(y)), dense_of(b)) < rounding<T>);
}

}  // namespace

TEST_CASE("lu, solve and triangular_solve: the matrix times the solution is the right-hand side, in every form") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      using L = layout<cyclic("p", 2), cyclic("q", 2)>;
      for (index_t n : {1, 5, 13}) solve_systems<L, L>(m, n, 3, t);
      solve_systems<layout<cyclic("q", 3), cyclic("p", 3)>, layout<"p", "q">>(m, 10, 5, t);
      solve_systems<layout<"p", none>, layout<none, "q">>(m, 9, 1, t);
      solve_systems<layout<none, none>, layout<axes("q", "p"), none>>(m, 6, 2, t);
    });
    solve_for_a_vector<layout<"p">>(m, 9, 1.);
    solve_for_a_vector<layout<none>>(m, 9, Kokkos::complex<double>{});
    solve_for_a_vector<layout<cyclic("q", 2)>>(m, 7, 1.F);
  });
}

TEST_CASE("systems of no equations, and of no right-hand side, have empty solutions") {
  on_every_grid([](auto const& m) {
    using L = layout<cyclic("p", 2), cyclic("q", 2)>;
    auto const none_at_all = generate<double, L>(m, {0, 0}, general<double>{});
    CHECK(linalg::solve(none_at_all, generate<double, L>(m, {0, 3}, general<double>{})).extents() == shape::of(0, 3));
    auto const a = generate<double, L>(m, {5, 5}, general<double>{});
    CHECK(linalg::solve(a, generate<double, L>(m, {5, 0}, general<double>{})).extents() == shape::of(5, 0));
  });
}

TEST_CASE("a singular matrix, and extents that do not fit, give one sentence on every rank") {
  on_every_grid([](auto const& m) {
    using L = layout<cyclic("p", 2), cyclic("q", 2)>;
    auto a = make<double, L>(m, {6, 6});
    fill(a, 1.);
    CHECK(said([&] { (void)linalg::lu(a); }).starts_with("ashlar::linalg::lu: the matrix is singular"));
    auto const b = generate<double, L>(m, {5, 2}, general<double>{});
    CHECK(said([&] { (void)linalg::solve(a, b); })
              .starts_with("ashlar::linalg: the right-hand side has as many rows as the system has equations; expected "
                           "(6, 2), found (5, 2)"));
    CHECK(said([&] {
            (void)linalg::triangular_solve(a, b);
          }).starts_with("ashlar::linalg: the right-hand side has as many rows as the system has equations"));
    CHECK(said([&] { (void)linalg::lu(b); }).starts_with("ashlar::linalg: the matrix is square"));
  });
}

TEST_CASE("a solution by kept factors is one solver and two transposes in the ledger") {
  constexpr auto program = [](auto const& m) {
    using L = layout<cyclic("p", 2), cyclic("q", 2)>;
    auto const f = linalg::lu(make<double, L>(m, {8, 8}));
    for (int i = 0; i < 3; ++i) (void)f.solve(make<double, L>(m, {8, 2}));
  };
  static_assert(dry_run(grid{{2, 2}}, program).count(collective::solver) == 4);
  static_assert(dry_run(grid{{2, 2}}, program).count() == 4 + 2 * 3);
  constexpr auto triangular = [](auto const& m) {
    using L = layout<cyclic("p", 2), cyclic("q", 2)>;
    (void)linalg::triangular_solve(make<double, L>(m, {8, 8}), make<double, L>(m, {8, 2}));
  };
  static_assert(dry_run(grid{{2, 2}}, triangular).count() == 1);
}

TEST_CASE("ranks that call different solvers get a sentence") {
  ASHLAR_NEEDS(ashlar::testing::ranks() > 1);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ashlar::testing::ranks(), 1});
  auto const a = generate<double, layout<cyclic("p", 2), none>>(m, {6, 6}, hermitian<double>{20});
  std::string const sentence = said([&] {
    if (m.rank() == 0)
      (void)linalg::lu(a);
    else
      (void)linalg::cholesky(a);
  });
  CHECK(sentence.find("linalg::lu") != std::string::npos);
  CHECK(sentence.find("linalg::cholesky") != std::string::npos);
}
