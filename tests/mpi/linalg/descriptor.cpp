// Shards that ScaLAPACK's own routines read by our descriptors.
#include "ashlar/linalg/descriptor.hpp"
#include "linalg_test.hpp"

extern "C" {
void pdpotrf_(char const*, int const*, double*, int const*, int const*, int const*, int*, std::size_t);
void pdgemm_(char const*, char const*, int const*, int const*, int const*, double const*, double const*, int const*,
             int const*, int const*, double const*, int const*, int const*, int const*, double const*, double*,
             int const*, int const*, int const*);
}

using namespace ashlar;
using namespace ashlar::linalg;
using namespace ashlar::test;

namespace {

int const one = 1;

// The lower triangle of the result, times its adjoint.
template <class X>
void factor_in_place(X&& a) {
  auto const before = dense_of(a);
  auto const d = linalg::scalapack_descriptor(a);
  int info = 0;
  pdpotrf_("U", &d[2], a.data(), &one, &one, d.data(), &info, 1);
  CHECK(info == 0);
  auto l = dense_of(a);
  for (index_t i = 0; i < l.rows; ++i)
    for (index_t j = i + 1; j < l.columns; ++j) l(i, j) = 0;
  CHECK(distance(product(l, adjoint(l)), before) < 1e-12);
}

// c = a b: ScaLAPACK sees c^T = b^T a^T.
template <class La, class Lb, class Lc, class M>
void multiply(M const& m, index_t rows, index_t inner, index_t columns) {
  auto const a = generate<double, La>(m, {rows, inner}, general<double>{1});
  auto const b = generate<double, Lb>(m, {inner, columns}, general<double>{2});
  auto c = generate<double, Lc>(m, {rows, columns}, general<double>{3});
  auto const da = linalg::scalapack_descriptor(a), db = linalg::scalapack_descriptor(b),
             dc = linalg::scalapack_descriptor(c);
  double const alpha = 1, beta = 0;
  pdgemm_("N", "N", &dc[2], &dc[3], &da[2], &alpha, b.data(), &one, &one, db.data(), a.data(), &one, &one, da.data(),
          &beta, c.data(), &one, &one, dc.data());
  CHECK(distance(dense_of(c), product(dense_of(a), dense_of(b))) < 1e-12);
}

}  // namespace

TEST_CASE("pdpotrf and pdgemm read shards by our descriptors, on every grid and with empty shards") {
  on_every_grid([](auto const& m) {
    using L = layout<cyclic("p", 3), cyclic("q", 3)>;
    for (index_t n : {1, 2, 7, 20}) {
      factor_in_place(generate<double, L>(m, {n, n}, hermitian<double>{2. * static_cast<double>(n) + 2}));
      factor_in_place(generate<double, layout<cyclic("q", 2), cyclic("p", 2)>>(m, {n, n}, hermitian<double>{60}));
      factor_in_place(generate<double, layout<none, cyclic("p", 2)>>(m, {n, n}, hermitian<double>{60}));
      multiply<L, L, L>(m, n, 5, 8);
    }
    multiply<layout<cyclic("p", 2), cyclic("q", 3)>, layout<cyclic("p", 3), cyclic("q", 4)>,
             layout<cyclic("p", 2), cyclic("q", 4)>>(m, 9, 10, 11);
  });
}

TEST_CASE("ranks that differ along further axes have a grid each, and axes of one dimension are major to minor") {
  using cube = mesh<axis<"p">, axis<"q">, axis<"r">>;
  int const p = testing::ranks(), two = p % 2 == 0 ? 2 : 1;
  device_mesh<cube> const m(MPI_COMM_WORLD, {two, p / two, 1}), other(MPI_COMM_WORLD, {1, two, p / two});
  for (auto const& each : {m, other}) {
    factor_in_place(generate<double, layout<cyclic("r", 2), cyclic("p", 2)>>(each, {9, 9}, hermitian<double>{20}));
    factor_in_place(generate<double, layout<cyclic("q", 2), none>>(each, {9, 9}, hermitian<double>{20}));
    factor_in_place(
        generate<double, layout<cyclic(axes("q", "p"), 2), cyclic("r", 2)>>(each, {9, 9}, hermitian<double>{20}));
    factor_in_place(
        generate<double, layout<cyclic(axes("p", "r"), 2), cyclic("q", 2)>>(each, {9, 9}, hermitian<double>{20}));
  }
}

TEST_CASE("a matrix that ScaLAPACK cannot count is an error on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, testing::ranks()});
  auto const a = make<double, layout<cyclic("p", 64), cyclic("q", 64)>>(m, {0, index_t{1} << 31});
  CHECK(said([&] { (void)linalg::scalapack_descriptor(a); }) ==
        "ashlar::linalg: ScaLAPACK counts rows and columns up to 2^31 - 1; found extents (0, 2147483648)");
}
