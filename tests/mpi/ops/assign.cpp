// Updates in place: elements against plain loops, the memory that they write, and what shares it.
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using rows = layout<"x", none>;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
constexpr index_t height = 9, width = 4;
struct number {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(3 * i - 2 * j); }
};
struct factor {
  KOKKOS_FUNCTION double operator()(index_t j) const { return static_cast<double>(j + 1); }
};

template <class F>
std::vector<double> by_loop(F f) {
  std::vector<double> y;
  for (index_t i = 0; i < height; ++i)
    for (index_t j = 0; j < width; ++j) y.push_back(f(number{}(i, j), factor{}(j)));
  return y;
}

}  // namespace

TEST_CASE("assign: operators update by tensors, expressions and numbers, in the memory of the tensor") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = generate<double, rows>(m, {height, width}, number{});
  auto const p = generate<double, rows>(m, {height, width}, number{});
  auto const row = generate<double, layout<none>>(m, {width}, factor{});
  auto const scalar = sum(full<double, layout<none>>(m, {1}, 3.));
  double const* const memory = x.data();
  pool::reset_peak();
  std::size_t const used = pool::in_use();
  x += scalar * p;
  x -= row;
  x *= 2.;
  x /= row;
  x += 1.;
  x *= p + row;
  assign(x, p - row);
  CHECK(pool::peak() == used);  // no temporary
  CHECK(x.data() == memory);
  CHECK(gather_all(x) == by_loop([](double v, double f) { return v - f; }));
  x += scalar * p;
  x -= row;
  x *= 4.;
  CHECK(gather_all(x) == by_loop([](double v, double f) { return 4 * (4 * v - 2 * f); }));
  auto& same = (x /= 4.);
  CHECK(&same == &x);
  assign(x, 2. * x + p);  // reads x: the elements are right, in memory of whatever block
  CHECK(gather_all(x) == by_loop([](double v, double f) { return 9 * v - 4 * f; }));
  double const* const at = x.data();
  assign(x, [&](auto const& old) { return p - 2. * old; });  // x is deeper, but f's temporaries have ended
  CHECK(gather_all(x) == by_loop([](double v, double f) { return -17 * v + 8 * f; }));
  CHECK(x.data() == at);
}

TEST_CASE("assign: copies, expressions and views keep their elements") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = generate<double, rows>(m, {height, width}, number{});
  auto const before = by_loop([](double v, double) { return v; });
  auto const copy = x;
  x += 1.;
  CHECK(gather_all(copy) == before);
  CHECK(gather_all(x) == by_loop([](double v, double) { return v + 1; }));
  auto const later = 2. * x;
  auto const pairs = unflatten<1>(x, {2, 2});
  x *= 0.;
  CHECK(gather_all(later) == by_loop([](double v, double) { return 2 * (v + 1); }));
  CHECK(gather_all(pairs) == by_loop([](double v, double) { return v + 1; }));
  CHECK(gather_all(x) == by_loop([](double, double) { return 0; }));
  auto evaluated = x + 5.;
  (void)evaluated.evaluate();
  assign(x, evaluated);
  x += x;
  CHECK(gather_all(x) == by_loop([](double, double) { return 10; }));
  CHECK(gather_all(evaluated) == by_loop([](double, double) { return 5; }));
}

TEST_CASE("assign: a value of other extents is an error") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = make<double, layout<none, none>>(m, {1, 3});
  auto const large = make<double, layout<none, none>>(m, {4, 3});
  CHECK(
      said([&] { x += large; }) ==
      "ashlar::assign: the value has the extents of the tensor; expected (1, 3), found (4, 3); the operands of += are "
      "layout<none, none> (1, 3) and layout<none, none> (4, 3)");
}
