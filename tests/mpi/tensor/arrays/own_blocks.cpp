// labels: host
// Arrays in blocks of the program's choice: to tensors of any layout and back, compared with the index of each element.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using block = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using column_major = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(1000 * i + j); }
};
struct part {
  index_t row, column, rows, columns;
};
// Rows in equal parts, and the remainder on the last rank.
part rows_of(index_t n, index_t k) {
  index_t const p = testing::ranks(), r = testing::rank(), each = n / p;
  return {r * each, 0, r + 1 == p ? n - r * each : each, k};
}
// The last rank has the first columns, and the first rank the other ones; all others have none.
part columns_of(index_t n, index_t k) {
  index_t const p = testing::ranks(), r = testing::rank(), cut = k / 3;
  if (p == 1) return {0, 0, n, k};
  if (r + 1 == p) return {0, 0, n, cut};
  return r == 0 ? part{0, cut, n, k - cut} : part{0, 0, 0, 3};
}

template <class View>
void fill_block(View const& v, part const& at) {
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t j = 0; j < v.extent(1); ++j)
      v(i, j) = number{}(at.row + static_cast<index_t>(i), at.column + static_cast<index_t>(j));
}
template <class View>
int wrong_elements(View const& v, part const& at) {
  int wrong = 0;
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t j = 0; j < v.extent(1); ++j)
      wrong += v(i, j) != number{}(at.row + static_cast<index_t>(i), at.column + static_cast<index_t>(j));
  return wrong;
}
std::size_t to_size(index_t n) { return static_cast<std::size_t>(n); }

template <class L, class M, class View>
void check_there_and_back(M const& m, index_t n, index_t k, View const& view, part const& at) {
  fill_block(view, at);
  recorder<grid> notes;
  m.record(&notes);
  auto const x = redistribute_from<L>(m, view, {at.row, at.column});
  CHECK(notes.log.count(collective::exchange) == (m.size() > 1 ? 1 : 0));
  m.record(nullptr);
  static_assert(std::is_same_v<layout_t<decltype(x)>, L>);
  CHECK(x.extents() == shape::of(n, k));
  CHECK(gather_all(x) == gather_all(generate<double, L>(m, {n, k}, number{})));
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j) view(i, j) = -1;
  redistribute_to(x, view, {at.row, at.column});
  CHECK(wrong_elements(view, at) == 0);
}

template <class F>
void for_each_mesh(F const& f) {
  for (auto const& sizes : test::halo_meshes()) f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}));
}

}  // namespace

TEST_CASE("blocks of the program: to layouts and back") {
  for_each_mesh([](auto const& m) {
    for (auto const& n : {std::array<index_t, 2>{11, 7}, {3, 4}, {50, 40}}) {
      part const rows = rows_of(n[0], n[1]), columns = columns_of(n[0], n[1]);
      block const mine("mine", to_size(rows.rows), to_size(rows.columns));
      column_major const other("other", to_size(columns.rows), to_size(columns.columns));
      block const whole("whole", to_size(columns.rows + 2), to_size(columns.columns + 3));
      auto const part = Kokkos::subview(whole, std::pair<index_t, index_t>(1, 1 + columns.rows),
                                        std::pair<index_t, index_t>(2, 2 + columns.columns));
      check_there_and_back<layout<"y", "x">>(m, n[0], n[1], mine, rows);
      check_there_and_back<layout<none, axes("y", "x")>>(m, n[0], n[1], other, columns);
      check_there_and_back<layout<none, "y">>(m, n[0], n[1], part, columns);
      check_there_and_back<layout<none, none>>(m, n[0], n[1], mine, rows);
      check_there_and_back<layout<cyclic("x", 2), "y">>(m, n[0], n[1], mine, rows);
    }
  });
}

TEST_CASE("blocks of the program: to a halo and back") {
  using H = layout<halo("y", 1, boundary::periodic), halo("x", 1)>;
  for_each_mesh([](auto const& m) {
    // [blocks]
    part const at = rows_of(11, 7);  // the remainder of the rows is on the last rank
    block const mine("mine", to_size(at.rows), to_size(at.columns));
    fill_block(mine, at);
    auto const u = redistribute_from<fresh<H>>(m, mine, {at.row, at.column});
    redistribute_to(2 * u, mine, {at.row, at.column});
    // [blocks]
    auto const same = generate<double, fresh<H>>(m, {11, 7}, number{});
    auto const a = u.stored_view(), b = same.stored_view();
    CHECK(std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size()));
    for (std::size_t i = 0; i < mine.extent(0); ++i)
      for (std::size_t j = 0; j < mine.extent(1); ++j) mine(i, j) /= 2;
    CHECK(wrong_elements(mine, at) == 0);
  });
}

TEST_CASE("blocks of the program: overlaps, gaps and other extents are errors on every rank") {
  for_each_mesh([](auto const& m) {
    part const at = rows_of(12, 5);
    block const mine("mine", to_size(at.rows), to_size(at.columns));
    auto const x = redistribute_from<layout<"y", "x">>(m, mine, {at.row, at.column});
    if (m.size() > 1)
      CHECK_THROWS_WITH_AS((redistribute_from<layout<"y", "x">>(m, mine, {0, 0})),
                           doctest::Contains("ashlar::redistribute_from: the blocks of all ranks hold each element of "
                                             "the array once; the blocks of ranks 0 and 1 overlap"),
                           error);
    CHECK_THROWS_WITH_AS((redistribute_from<layout<"y", "x">>(m, mine, {at.row + 1, at.column})),
                         doctest::Contains("they hold 60 elements, and their extents are"), error);
    block const wider("wider", to_size(at.rows), 6);
    CHECK_THROWS_WITH_AS(
        redistribute_to(x, wider, {at.row, at.column}),
        doctest::Contains("ashlar::redistribute_to: the blocks make up an array of the tensor's extents"), error);
    CHECK_THROWS_WITH_AS((redistribute_from<layout<"y", "x">>(m, mine, {at.row, -1})),
                         doctest::Contains("ashlar::redistribute_from: a block begins at an index of 0 or more"),
                         error);
  });
}
