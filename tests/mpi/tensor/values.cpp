// labels: host mpich sanitizers
// Tensors are values: copies, adopted memory, and views for which the program has a pointer.
#include "ashlar/tensor/backend.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using rows = layout<"x", none>;
using H = layout<halo("x", 1, boundary::periodic), none>;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(10 * i + j); }
};
struct neighbours {
  static constexpr auto reach = star(1, 0);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return u(-1, 0) + u(1, 0); }
};

// True if each element that this rank has is f of its number times `times`, plus `plus`.
template <class X>
bool holds(X const& x, double times, double plus) {
  auto const own = x.local_region();
  auto const v = x.view();
  for (index_t i = 0; i < own.dim[0].size(); ++i)
    for (index_t j = 0; j < own.dim[1].size(); ++j)
      if (v(i, j) != times * number{}(own.dim[0][i], own.dim[1][j]) + plus) return false;
  return true;
}

// An array of the program, and the tensor that adopts it.
struct program {
  static constexpr index_t n = 7, k = 3;
  device_mesh<line> m{MPI_COMM_WORLD};
  std::vector<double> mine = std::vector<double>(static_cast<std::size_t>(n * k), -1.);
  auto numbers() const { return generate<double, rows>(m, {n, k}, number{}); }
  auto adopted() {
    auto x = adopt<rows>(m, mine.data(), {n, k});
    assign(x, numbers());
    return x;
  }
  // What the program sees in its array.
  bool sees(double times, double plus) const {
    auto const own = numbers().local_region();
    for (index_t i = 0; i < own.dim[0].size(); ++i)
      for (index_t j = 0; j < k; ++j)
        if (mine[static_cast<std::size_t>(i * k + j)] != times * number{}(own.dim[0][i], j) + plus) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("values: whatever writes a tensor leaves its copies alone") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const numbers = generate<double, rows>(m, {7, 3}, number{});
  auto const each = [&](auto const& write) {
    auto x = numbers;
    auto const before = x;
    write(x);
    CHECK(holds(before, 1, 0));
    CHECK(holds(numbers, 1, 0));
    return x;
  };
  CHECK(holds(each([](auto& x) { x += 1.; }), 1, 1));
  CHECK(holds(each([](auto& x) { assign(x, 2. * x); }), 2, 0));
  CHECK(holds(each([](auto& x) { fill(x, 5.); }), 0, 5));
  CHECK(holds(each([](auto& x) { redistribute_into(x, redistribute<layout<none, "x">>(x + 1.)); }), 1, 1));
  CHECK(holds(each([](auto& x) {
                auto const v = x.view();
                for (std::size_t i = 0; i < v.extent(0); ++i)
                  for (std::size_t j = 0; j < v.extent(1); ++j) v(i, j) = 4;
              }),
              0, 4));
  CHECK(holds(each([](auto& x) {
                if (x.local_size() != 0) x.data()[0] = 1;
                fill(x, 3.);
              }),
              0, 3));
}

TEST_CASE("values: a copy costs nothing until one side is written") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = generate<double, rows>(m, {100, 3}, number{});
  auto const in_use = pool::in_use();
  auto const bytes = static_cast<std::size_t>(x.local_size()) * sizeof(double);
  // [copy]
  auto best = x;  // shares the memory of x
  CHECK(pool::in_use() == in_use);
  x += 1.;  // x gets memory of its own
  CHECK(pool::in_use() == in_use + bytes);
  // [copy]
  x += 1.;  // alone now
  CHECK(pool::in_use() == in_use + bytes);
  best = x;
  CHECK(pool::in_use() == in_use);
}

TEST_CASE("values: what is written to a tensor goes into the memory that it has adopted") {
  program p;
  auto x = p.adopted();
  CHECK(p.sees(1, 0));
  // [adopted]
  auto const before = x;                                  // a copy of the elements
  auto const later = x * 1.;                              // an expression that reads x later
  auto begun = redistribute_async<layout<none, "x">>(x);  // a collective that reads x until it is complete
  x += 1.;                                                // goes into the program's array
  // [adopted]
  CHECK(p.sees(1, 1));
  CHECK(holds(before, 1, 0));
  CHECK(holds(later.evaluate(), 1, 0));
  CHECK(holds(begun.wait(), 1, 0));
  x = x + 1.;
  CHECK(p.sees(1, 2));
  assign(x, 2. * x + before);
  CHECK(p.sees(3, 4));
  auto const other = p.numbers();
  x = other;
  CHECK(p.sees(1, 0));
  x = p.numbers() * 5.;
  CHECK(p.sees(5, 0));
  fill(x, 2.);
  CHECK(p.sees(0, 2));
  redistribute_into(x, redistribute<layout<none, "x">>(p.numbers()));
  CHECK(p.sees(1, 0));
  auto const twice = x * 2.;
  redistribute_into(x, redistribute<layout<none, "x">>(x + 1.));  // with a reader of x
  CHECK(p.sees(1, 1));
  CHECK(holds(twice.evaluate(), 2, 0));
}

TEST_CASE("values: memory of the program moves with the tensor, and copies leave it") {
  program p, q;
  auto x = p.adopted(), y = q.adopted();
  auto copy = x;
  copy += 7.;
  CHECK(p.sees(1, 0));
  auto moved = std::move(x);
  moved += 1.;
  CHECK(p.sees(1, 1));
  std::swap(moved, y);
  moved += 10.;
  CHECK(q.sees(1, 10));
  CHECK(p.sees(1, 1));
  y = std::move(moved);  // writes y's elements
  CHECK(p.sees(1, 10));
  decltype(y) empty;
  empty = std::move(y);
  empty += 1.;
  CHECK(p.sees(1, 11));
}

TEST_CASE("values: memory that is adopted twice, and other extents, are errors on every rank") {
  program p;
  auto x = p.adopted();
  bool const shards_are_full = p.m.size() <= program::n;
  if (shards_are_full)
    CHECK(said([&] { (void)p.adopted(); }).find("ashlar::adopt: another tensor has adopted this memory") == 0);
  CHECK(said([&] {
          x = generate<double, rows>(p.m, {2, 3}, number{});
        }) ==
        "ashlar::sharded_tensor: a tensor that has adopted memory of the program keeps its extents; expected (7, 3), "
        "found (2, 3)");
  CHECK(p.sees(1, 0));
  { auto const ends = std::move(x); }
  CHECK(holds(p.adopted(), 1, 0));
}

TEST_CASE("values: memory to which the program has a pointer is copied at once") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = generate<double, rows>(m, {7, 3}, number{});
  // [view]
  auto const v = x.view();
  auto const copy = x;                                         // a copy of the elements
  for (std::size_t i = 0; i < v.extent(0); ++i) v(i, 0) = -1;  // x changes, copy does not
  // [view]
  CHECK(holds(copy, 1, 0));
  x += 0.;
  auto const same = redistribute<rows>(x);
  auto const flat = flatten<0, 1>(redistribute<layout<none, none>>(x));
  for (std::size_t i = 0; i < v.extent(0); ++i) v(i, 0) = -2;
  auto const now = flatten<0, 1>(redistribute<layout<none, none>>(same));
  CHECK(gather_all(now) == gather_all(flat));
  for (std::size_t i = 0; i < v.extent(0); ++i) v(i, 0) = -1;
  auto const reads = x + 0.;
  x += 1.;  // x stays where v is
  for (std::size_t i = 0; i < v.extent(0); ++i) CHECK(v(i, 0) == 0);
  for (std::size_t i = 0; i < v.extent(0); ++i) CHECK(reads.view()(i, 0) == -1);
}

TEST_CASE("values: operations read memory to which the program has a pointer where it is") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const alike = generate<double, rows>(m, {700, 3}, number{});
  auto x = (alike + 0.).evaluate();
  (void)x.view();
  auto const most = [&](auto f) {
    auto const before = pool::in_use();
    pool::reset_peak();
    (void)f();
    return pool::peak() - before;
  };
  // A result that would share the memory of x, on one rank, is a copy.
  auto const both = [&](auto f) {
    auto const expected = most([&] { return f(alike); });
    auto const bytes = static_cast<std::size_t>(x.local_size()) * sizeof(double);
    CHECK(most([&] { return f(x); }) == (m.size() == 1 && expected == 0 ? bytes : expected));
  };
  both([](auto const& y) { return redistribute<layout<none, "x">>(y); });
  both([](auto const& y) { return redistribute_async<layout<none, "x">>(y).wait(); });
  both([](auto const& y) { return transpose<1, 0>(y, to_layout<layout<none, "x">>); });
  both([](auto const& y) { return all_gather<"x">(y); });
  both([](auto const& y) { return all_reduce(sum(y)); });
  both([](auto const& y) { return einsum<"ij,ij->i">(y, y); });
}

TEST_CASE("values: a plan without steps gives elements of its own, begun or not") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto x = generate<double, rows>(m, {7, 3}, number{});
  auto const v = x.view();
  auto const now = redistribute<rows>(x), later = redistribute_async<rows>(x).wait();
  for (std::size_t i = 0; i < v.extent(0); ++i) v(i, 0) = -1;
  CHECK(holds(now, 1, 0));
  CHECK(holds(later, 1, 0));
}

TEST_CASE("values: fields with halos are values, too") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const numbers = generate<double, H>(m, {7, 3}, number{});
  auto u = numbers;
  auto const before = u;
  update_halo(u);
  u += 1.;
  CHECK(holds(owned(before), 1, 0));
  CHECK(holds(owned(u), 1, 1));

  shape const stored = u.stored_extents();
  Kokkos::View<double**, Kokkos::LayoutRight> const array("array", static_cast<std::size_t>(stored[0]),
                                                          static_cast<std::size_t>(stored[1]));
  auto a = adopt<H>(m, array, {7, 3});
  a = numbers;
  CHECK(holds(owned(a), 1, 0));
  auto const filled = exchange_halo(a);
  auto const sums = stencil(neighbours{}, filled);
  for (int step = 0; step < 3; ++step) assign(a, stencil(neighbours{}, exchange_halo(a)));
  CHECK(gather_all(owned(stencil(neighbours{}, filled))) == gather_all(owned(sums)));  // `filled` keeps its cells
  auto expected = numbers;
  for (int step = 0; step < 3; ++step) assign(expected, stencil(neighbours{}, exchange_halo(expected)));
  CHECK(gather_all(owned(a)) == gather_all(owned(expected)));
  auto const cells = a.owned_view();
  if (a.local_region().extents().size() != 0) CHECK(array(1, 0) == cells(0, 0));
}
