// Tensors with halos as text, halo cells included.
#include <ashlar/tensor/tensor.hpp>
#include "ashlar/ops/arrays/compare.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include <doctest/doctest.h>
#include <sstream>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0) const { return static_cast<double>(3 * i + j); }
};
struct beyond {
  ASHLAR_FUNCTION int operator()(index_t i) const { return i < 0 ? 8 : 9; }
};

template <class X>
std::string printed(X const& x) {
  std::ostringstream out;
  print(out, x, with_halos);
  return out.str();
}
device_mesh<grid> rows() { return {MPI_COMM_WORLD, {testing::ranks(), 1}}; }

// The blocks of a line of n cells on p ranks, with `halo(first, last)` beside the owned cells first, ..., last - 1.
template <class Halo>
std::string line_of(index_t n, Halo const& halo) {
  std::string text;
  int const p = testing::ranks();
  for (int r = 0; r < p; ++r) {
    text += "rank " + std::to_string(r);
    index_t const first = n / p * r + std::min<index_t>(r, n % p), last = first + n / p + (r < n % p);
    if (first == last) {
      text += " stores nothing\n";
      continue;
    }
    auto const range = [](index_t a, index_t b) { return "(" + std::to_string(a) + ":" + std::to_string(b) + ")"; };
    auto const [below, above] = halo(first, last);
    text += " stores " + range(first - 1, last + 1) + ", and owns " + range(first, last) + ":\n[" + below;
    for (index_t i = first; i < last; ++i) text += " " + std::to_string(i % 10);
    text += " " + above + "]\n";
  }
  return text;
}
using both = std::pair<std::string, std::string>;

struct last_digit {
  ASHLAR_FUNCTION int operator()(index_t i) const { return static_cast<int>(i % 10); }
};

}  // namespace

TEST_CASE("print: lines with halos, uneven and empty shards, on any number of ranks") {
  auto const m = rows();
  int const p = testing::ranks();
  std::string const on = ", y=" + std::to_string(p) + " x=1\n";
  auto const text = [&](char const* state, index_t n) {
    return "int32, layout<\"y\">, halo " + std::string(state) + ", (" + std::to_string(n) + ")" + on;
  };
  for (index_t const n : {index_t{p} - 1, index_t{p}, index_t{2} * p + 1, index_t{0}}) {
    using H = layout<halo("y", 1, boundary::copy, boundary::given)>;
    auto u = generate<int, H>(m, {n}, last_digit{});
    set_boundary(u, beyond{});
    auto const digit = [](index_t i) { return std::to_string(i % 10); };
    auto const check = [&](auto const& x, std::string const& expected) {
      std::string const found = printed(x);
      CHECK(found == (m.rank() == 0 ? expected : ""));
    };
    // Given cells are known, also beside an unfilled halo.
    check(u, text("unfilled", n) + line_of(n, [&](index_t, index_t last) { return both("?", last == n ? "9" : "?"); }));
    check(exchange_halo(u), text("filled", n) + line_of(n, [&](index_t first, index_t last) {
                              return both(digit(first == 0 ? 0 : first - 1), last == n ? "9" : digit(last));
                            }));
    auto sums = make<int, halo_sums<H>>(m, {n});
    if (sums.stored_extents().size() != 0) Kokkos::deep_copy(sums.stored_view(), 7);
    if (sums.stored_extents().size() != 0) Kokkos::deep_copy(sums.owned_view(), u.owned_view());
    check(sums, text("sums", n) + line_of(n, [](index_t, index_t) { return both("7", "7"); }));
  }
}

TEST_CASE("print: corners that are not exchanged, replicas, masks, views with strides") {
  if (testing::ranks() != 2) return;
  using H = layout<halo("y", 1, boundary::periodic), halo("x", 1)>;
  auto const m = rows();
  // [print]
  auto const u = exchange_halo<corners::skipped>(generate<double, H>(m, {4, 2}, number{}));
  std::ostringstream out;
  print(out, u, with_halos);
  // [print]
  // [printed]
  std::string const expected =
      "double, layout<\"y\", \"x\">, halo filled without corners, (4, 2), y=2 x=1\n"
      "rank 0 stores (-1:3, -1:3), and owns (0:2, 0:2):\n"
      "[[ ?  9 10  ?]\n"
      " [ 0  0  1  0]\n"
      " [ 0  3  4  0]\n"
      " [ ?  6  7  ?]]\n"
      "rank 1 stores (1:5, -1:3), and owns (2:4, 0:2):\n"
      "[[ ?  3  4  ?]\n"
      " [ 0  6  7  0]\n"
      " [ 0  9 10  0]\n"
      " [ ?  0  1  ?]]\n";
  // [printed]
  CHECK(out.str() == (m.rank() == 0 ? expected : ""));

  device_mesh<grid> const columns(MPI_COMM_WORLD, {1, 2});
  auto const mask = generate<double, H>(columns, {1, 1}, number{}) > -1.;
  std::string const found = printed(mask);
  CHECK(found == (m.rank() == 0 ? "bool, layout<\"y\", \"x\">, halo unfilled, (1, 1), y=1 x=2\n"
                                  "rank 0 stores (-1:2, -1:2), and owns (0:1, 0:1):\n"
                                  "[[? ? ?]\n [? 1 ?]\n [? ? ?]]\n"
                                  "rank 1 stores nothing\n"
                                : ""));

  using one_split = layout<halo("y", 1), none>;
  std::string const replicas = printed(exchange_halo(generate<double, one_split>(columns, {2, 2}, number{})));
  CHECK(replicas == (m.rank() == 0 ? "double, layout<\"y\", none>, halo filled, (2, 2), y=1 x=2\n"
                                     "rank 0 stores (-1:3, 0:2), and owns (0:2, 0:2):\n"
                                     "[[0 0]\n [0 1]\n [3 4]\n [0 0]]\n"
                                   : ""));

  Kokkos::View<double**, Kokkos::LayoutRight> const wide("wide", 4, 9);
  auto const part = Kokkos::subview(wide, Kokkos::ALL, std::pair<int, int>(2, 6));
  auto adopted = adopt<H>(m, part, {4, 2});
  Kokkos::deep_copy(adopted.owned_view(), u.owned_view());
  CHECK(printed(exchange_halo<corners::skipped>(adopted)) == out.str());
}

TEST_CASE("print: of many cells of a rank the ends, and no more than these is moved") {
  auto const m = rows();
  using H = layout<halo("y", 1, boundary::copy)>;
  index_t const p = testing::ranks(), n = 2000 * p;
  auto const u = exchange_halo(generate<int, H>(m, {n}, last_digit{}));
  auto const before = m.counters().all_to_all.bytes;
  std::string const text = printed(u);
  std::uint64_t moved = m.counters().all_to_all.bytes - before;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(moved <= static_cast<std::uint64_t>(6 * (p - 1)) * sizeof(int));
  std::string expected =
      "int32, layout<\"y\">, halo filled, (" + std::to_string(n) + "), y=" + std::to_string(p) + " x=1\n";
  for (index_t r = 0; r < p; ++r)
    expected += "rank " + std::to_string(r) + " stores (" + std::to_string(2000 * r - 1) + ":" +
                std::to_string(2000 * r + 2001) + "), and owns (" + std::to_string(2000 * r) + ":" +
                std::to_string(2000 * r + 2000) + "):\n[" + (r == 0 ? "0" : "9") + " 0 1 ... 8 9 " +
                (r == p - 1 ? "9" : "0") + "]\n";
  CHECK(text == (m.rank() == 0 ? expected : ""));
}
