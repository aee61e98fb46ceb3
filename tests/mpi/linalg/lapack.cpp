// Solvers of distributed matrices, against LAPACK's own results on the gathered arrays.
#include "ashlar/linalg/cholesky.hpp"
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "ashlar/linalg/lu.hpp"
#include "ashlar/linalg/qr.hpp"
#include "ashlar/linalg/svd.hpp"
#include "ashlar/linalg/triangular_solve.hpp"
#include "linalg_test.hpp"

namespace ashlar::test::lapack {

using letter = char const*;
using number = int const*;

// LAPACK is in a library that ScaLAPACK needs. `o` begins the names of routines of orthogonal or unitary matrices, `h`
// of symmetric or Hermitian ones. For complex matrices some have a workspace of real numbers, too.
#define ASHLAR_LAPACK(t, T, R, o, h, ...)                                                                          \
  void potrf(letter, number, T*, number, int*, std::size_t) __asm__(#t "potrf_");                                  \
  void gesv(number, number, T*, number, int*, T*, number, int*) __asm__(#t "gesv_");                               \
  void trtrs(letter, letter, letter, number, number, T const*, number, T*, number, int*, std::size_t, std::size_t, \
             std::size_t) __asm__(#t "trtrs_");                                                                    \
  void gels(letter, number, number, number, T*, number, T*, number, T*, number, int*,                              \
            std::size_t) __asm__(#t "gels_");                                                                      \
  void geqrf(number, number, T*, number, T*, T*, number, int*) __asm__(#t "geqrf_");                               \
  void gqr(number, number, number, T*, number, T const*, T*, number, int*) __asm__(#t #o "gqr_");                  \
  void evd(letter, letter, number, T*, number, R*, T*, number, __VA_ARGS__ int*, number, int*, std::size_t,        \
           std::size_t) __asm__(#t #h "evd_");
ASHLAR_LAPACK(s, float, float, or, sy)
ASHLAR_LAPACK(d, double, double, or, sy)
ASHLAR_LAPACK(c, complex_of<float>, float, un, he, float*, number, )
ASHLAR_LAPACK(z, complex_of<double>, double, un, he, double*, number, )
#undef ASHLAR_LAPACK
#define ASHLAR_LAPACK(t, T, R, ...)                                                                              \
  void gesdd(letter, number, number, T*, number, R*, T*, number, T*, number, T*, number, __VA_ARGS__ int*, int*, \
             std::size_t) __asm__(#t "gesdd_");
ASHLAR_LAPACK(s, float, float)
ASHLAR_LAPACK(d, double, double)
ASHLAR_LAPACK(c, complex_of<float>, float, float*, )
ASHLAR_LAPACK(z, complex_of<double>, double, double*, )
#undef ASHLAR_LAPACK

}  // namespace ashlar::test::lapack

using namespace ashlar;
using namespace ashlar::test;
using namespace ashlar::test::lapack;

namespace {

constexpr int many = 5000;  // more than any workspace needs

// A dense matrix as LAPACK has it: column-major.
template <class T>
struct by_columns {
  int rows, columns;
  std::vector<T> e;
  explicit by_columns(int r, int c) : rows(r), columns(c), e(static_cast<std::size_t>(r * c)) {}
  explicit by_columns(matrix_of<T> const& a) : by_columns(static_cast<int>(a.rows), static_cast<int>(a.columns)) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) (*this)(i, j) = a(i, j);
  }
  T& operator()(int i, int j) { return e[static_cast<std::size_t>(i + j * rows)]; }
  // The first rows and columns.
  matrix_of<T> matrix(int r, int c) {
    matrix_of<T> a{r, c, std::vector<T>(static_cast<std::size_t>(r * c))};
    for (int i = 0; i < r; ++i)
      for (int j = 0; j < c; ++j) a(i, j) = (*this)(i, j);
    return a;
  }
};
// Vectors are unique up to a factor of absolute value 1.
template <class T>
matrix_of<double> absolute(matrix_of<T> const& a) {
  matrix_of<double> y{a.rows, a.columns, {}};
  for (T const& x : a.e) y.e.push_back(static_cast<double>(Kokkos::abs(x)));
  return y;
}
template <class R>
matrix_of<R> column(std::vector<R> const& x) {
  return {static_cast<index_t>(x.size()), 1, x};
}

template <class T>
struct real_part_of {
  using type = T;
};
template <class R>
struct real_part_of<Kokkos::complex<R>> {
  using type = R;
};

// A matrix with small condition number.
template <class T>
struct dominant {
  double more;
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const {
    return general<T>{1}(i, j) + (i == j ? element_of<T>(more, 0) : T(0));
  }
};

template <class L, class T>
void compare(device_mesh<grid> const& m, int n, T) {
  CAPTURE(n);
  using R = typename real_part_of<T>::type;
  double const less = rounding<T>, vectors = 100 * rounding<T>;
  int const rows = n + 4, more = 3;
  int info = 1;
  std::vector<T> work(many), tau(static_cast<std::size_t>(n));
  std::vector<int> indices(many);
  std::vector<R> values(static_cast<std::size_t>(n)), real_work(many);
  auto const square = generate<T, L>(m, {n, n}, dominant<T>{2. * n});
  auto const definite = generate<T, L>(m, {n, n}, hermitian<T>{2. * n});
  auto const tall = generate<T, L>(m, {rows, n}, general<T>{1});
  auto const b = generate<T, L>(m, {n, more}, general<T>{7});
  auto const longer = generate<T, L>(m, {rows, more}, general<T>{9});

  by_columns<T> l(dense_of(definite));
  potrf("L", &n, l.e.data(), &n, &info, 1);
  REQUIRE(info == 0);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) l(i, j) = T(0);
  CHECK(distance(dense_of(linalg::cholesky(definite)), l.matrix(n, n)) < less);

  by_columns<T> lu(dense_of(square)), x(dense_of(b));
  gesv(&n, &more, lu.e.data(), &n, indices.data(), x.e.data(), &n, &info);
  REQUIRE(info == 0);
  CHECK(distance(dense_of(linalg::solve(square, b)), x.matrix(n, more)) < less);
  CHECK(distance(dense_of(linalg::lu(square).solve(b)), x.matrix(n, more)) < less);

  by_columns<T> a(dense_of(tall)), y(dense_of(longer));
  gels("N", &rows, &n, &more, a.e.data(), &rows, y.e.data(), &rows, work.data(), &many, &info, 1);
  REQUIRE(info == 0);
  CHECK(distance(dense_of(linalg::lstsq(tall, longer)), y.matrix(n, more)) < 10 * less);

  by_columns<T> q(dense_of(tall));
  geqrf(&rows, &n, q.e.data(), &rows, tau.data(), work.data(), &many, &info);
  REQUIRE(info == 0);
  matrix_of<T> r = q.matrix(n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < i; ++j) r(i, j) = T(0);
  gqr(&rows, &n, &n, q.e.data(), &rows, tau.data(), work.data(), &many, &info);
  REQUIRE(info == 0);
  auto const factors = linalg::qr(tall);
  CHECK(distance(absolute(dense_of(factors.q)), absolute(q.matrix(rows, n))) < less);
  CHECK(distance(absolute(dense_of(factors.r)), absolute(r)) < less);

  by_columns<T> v(dense_of(definite));
  if constexpr (is_complex<T>)
    evd("V", "L", &n, v.e.data(), &n, values.data(), work.data(), &many, real_work.data(), &many, indices.data(), &many,
        &info, 1, 1);
  else
    evd("V", "L", &n, v.e.data(), &n, values.data(), work.data(), &many, indices.data(), &many, &info, 1, 1);
  REQUIRE(info == 0);
  auto const eigen = linalg::eigh(definite);
  CHECK(distance(dense_of(eigen.values), column(values)) < less);
  CHECK(distance(absolute(dense_of(eigen.vectors)), absolute(v.matrix(n, n))) < vectors);

  by_columns<T> c(dense_of(tall)), u(rows, n), vh(n, n);
  if constexpr (is_complex<T>)
    gesdd("S", &rows, &n, c.e.data(), &rows, values.data(), u.e.data(), &rows, vh.e.data(), &n, work.data(), &many,
          real_work.data(), indices.data(), &info, 1);
  else
    gesdd("S", &rows, &n, c.e.data(), &rows, values.data(), u.e.data(), &rows, vh.e.data(), &n, work.data(), &many,
          indices.data(), &info, 1);
  REQUIRE(info == 0);
  auto const parts = linalg::svd(tall);
  CHECK(distance(dense_of(parts.s), column(values)) < less);
  CHECK(distance(absolute(dense_of(parts.u)), absolute(u.matrix(rows, n))) < vectors);
  CHECK(distance(absolute(dense_of(parts.vh)), absolute(vh.matrix(n, n))) < vectors);
}

// Each triangle, plain, transposed and conjugated. LAPACK gets the whole matrix, too: neither reads the other triangle.
template <class A, class B>
void compare_triangles(A const& a, B const& b) {
  using T = element_t<A>;
  by_columns<T> matrix(dense_of(a));
  matrix_of<T> const right = dense_of(b);
  int const n = matrix.rows, sides = static_cast<int>(right.columns), leading = std::max(n, 1);
  for (linalg::triangle which : {linalg::triangle::lower, linalg::triangle::upper})
    for (linalg::form how : {linalg::form::plain, linalg::form::transpose, linalg::form::adjoint}) {
      by_columns<T> x(right);
      int info = 1;
      trtrs(which == linalg::triangle::lower ? "L" : "U",
            how == linalg::form::plain       ? "N"
            : how == linalg::form::transpose ? "T"
                                             : "C",
            "N", &n, &sides, matrix.e.data(), &leading, x.e.data(), &leading, &info, 1, 1, 1);
      REQUIRE(info == 0);
      CAPTURE(which == linalg::triangle::lower);
      CAPTURE(static_cast<int>(how));
      auto const y = linalg::triangular_solve(a, b, which, how);
      static_assert(std::is_same_v<layout_t<decltype(y)>, layout_t<B>>);
      CHECK(distance(dense_of(y), x.matrix(n, sides)) < rounding<T>);
    }
}

template <class La, class Lb, class T>
void compare_triangles(device_mesh<grid> const& m, int n, int sides, T) {
  CAPTURE(n);
  CAPTURE(sides);
  compare_triangles(generate<T, La>(m, {n, n}, dominant<T>{2. * n}), generate<T, Lb>(m, {n, sides}, general<T>{7}));
}

template <class T>
struct vector_elements {
  KOKKOS_FUNCTION T operator()(index_t i) const { return general<T>{5}(i, 1); }
};

}  // namespace

TEST_CASE("triangular_solve agrees with LAPACK's substitution, for each triangle, form and element type") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      using T = decltype(t);
      using L = layout<cyclic("p", 2), cyclic("q", 2)>;
      for (int n : {0, 1, 3, 13})  // fewer rows than ranks, and a last block that is not full
        for (int sides : {0, 1, 5}) compare_triangles<L, L>(m, n, sides, t);
      compare_triangles<layout<cyclic("q", 3), cyclic("p", 3)>, layout<"p", "q">>(m, 10, 5, t);
      compare_triangles<layout<"p", none>, layout<none, "q">>(m, 9, 1, t);
      compare_triangles<layout<none, none>, layout<axes("q", "p"), none>>(m, 6, 3, t);
      auto const a = generate<T, L>(m, {11, 11}, dominant<T>{22});
      compare_triangles(a, generate<T, layout<"q">>(m, {11}, vector_elements<T>{}));
      compare_triangles(a, generate<T, layout<none>>(m, {11}, vector_elements<T>{}));
    });
  });
}

TEST_CASE("solvers of block-cyclic, uneven and partly empty matrices agree with LAPACK on the gathered arrays") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      for (int n : {1, 3, 13}) compare<layout<cyclic("p", 2), cyclic("q", 2)>>(m, n, t);
      compare<layout<"p", "q">>(m, 13, t);
      compare<layout<cyclic("q", 3), none>>(m, 7, t);
      compare<layout<none, none>>(m, 6, t);
    });
  });
}
