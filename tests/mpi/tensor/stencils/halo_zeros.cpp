// labels: host
// Cells beyond a zero boundary are written once for as long as nothing else writes halo cells of the same memory. Elements are
// integers: builds with assertions fill new halos of real numbers with NaN.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

struct number {
  ASHLAR_FUNCTION index_t operator()(index_t i, index_t j) const { return 1 + 100 * i + j; }
};
struct twice {
  static constexpr auto reach = centre;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 2 * u(0, 0); }
};

// The stored cells, read without a pointer that the program may write through.
template <class X>
std::vector<index_t> stored(X const& x) {
  auto const copy = tensor_detail::copy_of_stored(x);
  std::vector<index_t> cells(static_cast<std::size_t>(copy.stored_extents().size()));
  std::copy_n(tensor_detail::cells_of(copy), cells.size(), cells.data());
  return cells;
}
// Calls f(cell, beyond): beyond is true for the cells outside the domain in a dimension with zero boundaries.
template <class X, class F>
void for_each_cell(X const& x, F const& f) {
  region const own = x.local_region();
  shape const s = x.stored_extents();
  index_t* const cells = tensor_detail::cells_of(x);
  for (index_t i = 0; i < s.size(); ++i) {
    bool beyond = false;
    index_t const at[]{i / s[1], i % s[1]};
    for (int d = 0; d < 2; ++d) {
      index_t const v = own.dim[d].begin - X::widths.dim[d].lower + at[d];
      beyond = beyond || (X::widths.dim[d].below == boundary::zero && (v < 0 || v >= x.extents()[d]));
    }
    f(cells[i], beyond);
  }
}
struct multiple_of_number {
  index_t factor;
  ASHLAR_FUNCTION index_t operator()(index_t i, index_t j) const { return factor * number{}(i, j); }
};
template <class X>
bool is_right(X const& x, index_t factor) {
  auto const expected =
      generate<index_t, fresh<layout_t<X>>>(x.mesh(), {x.extent(0), x.extent(1)}, multiple_of_number{factor});
  return stored(x) == stored(expected);
}
template <class H, class F>
void on_meshes(F const& f) {
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    for (std::array<index_t, 2> const n : {std::array<index_t, 2>{7, 5}, {1, 9}, {12, 8}})
      f(generate<index_t, H>(m, {n[0], n[1]}, number{}));
  }
}

using flat = layout<halo("y", 1), halo("x", 1)>;
using wide = layout<halo("y", 2, 1), halo("x", 1, 3)>;
using whole = layout<halo("y", 1), halo(none, 2)>;
using torus = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;
using mirrored = layout<halo("y", 1, boundary::mirror), halo("x", 1)>;
using signs = layout<halo("y", 1, boundary::odd), halo("x", 1)>;

}  // namespace

TEST_CASE_TEMPLATE("halo: exchanges of memory that comes back are right", H, flat, wide, whole, torus, mirrored,
                   signs) {
  on_meshes<H>([](auto x) {
    index_t factor = 1;
    for (int step = 0; step < 4; ++step) {
      CHECK(is_right(exchange_halo(x), factor));
      x = step % 2 == 0 ? stencil(twice{}, exchange_halo_async(x)) : redistribute<H>(exchange_halo(2 * x));
      factor *= 2;
      x += x;
      factor *= 2;
    }
    auto const y = std::get<0>(exchange_halo(bundle(x, 2 * x)));
    CHECK(is_right(y, factor));
  });
}

TEST_CASE_TEMPLATE("halo: known zeros are left alone, in new tensors too", H, flat, wide, whole, torus) {
  on_meshes<H>([](auto const& first) {
    auto u = stencil(twice{}, first);
    auto const spoil = [&] {  // as no function of the library may do
      for_each_cell(u, [](index_t& cell, bool beyond) { cell = beyond ? 5 : cell; });
    };
    auto const count = [&](index_t value) {
      index_t n = 0;
      for_each_cell(u, [&](index_t cell, bool beyond) { n += beyond && cell == value; });
      return n;
    };
    update_halo(u);
    index_t const beyond = count(0);
    spoil();
    update_halo(u);
    CHECK(count(5) == beyond);
    u += u;
    update_halo(u);
    CHECK(count(5) == beyond);
    index_t* const before = tensor_detail::cells_of(u);
    u = first;
    u = stencil(twice{}, first);
    update_halo(u);
    CHECK((tensor_detail::cells_of(u) == before ? count(5) : count(0)) == beyond);
    spoil();
    (void)u.stored_view();  // from here on the program may write them
    update_halo(u);
    CHECK(count(0) == beyond);
    spoil();
    update_halo(u);
    CHECK(count(0) == beyond);
  });
}

TEST_CASE("halo: memory that something else has written has no known zeros") {
  on_meshes<flat>([](auto const& first) {
    auto const& m = first.mesh();
    using X = std::remove_cvref_t<decltype(first)>;
    index_t const bytes = first.stored_extents().size();
    for (int step = 0; step < 3; ++step) {
      {
        update_halo(X(m, first.extents()));
      }
      if (bytes != 0) {  // the same block, as elements without a halo
        tensor_detail::pool_scratch<typename X::execution_space, index_t> const scratch(bytes);
        std::fill_n(scratch.data(), bytes, 7);
      }
      auto const u = redistribute<flat>(1 * first);
      CHECK(is_right(exchange_halo(u), 1));
      auto sums = make<index_t, halo_sums<flat>>(m, {first.extent(0), first.extent(1)});
      std::fill_n(sums.stored_data(), sums.stored_extents().size(), 3);
      auto const added = add_halo(2 * sums);
      auto const filled = exchange_halo(added);
      for_each_cell(filled, [](index_t cell, bool beyond) { CHECK((!beyond || cell == 0)); });
    }
  });
}

TEST_CASE("halo: cells of an adopted view beyond a zero boundary are 0 after each exchange") {
  on_meshes<flat>([](auto const& first) {
    shape const s = first.stored_extents();
    Kokkos::View<index_t**, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace> const view(
        "cells", static_cast<std::size_t>(s[0]), static_cast<std::size_t>(s[1]));
    auto const u = adopt<flat>(first.mesh(), view, {first.extent(0), first.extent(1)});
    for (int step = 0; step < 3; ++step) {
      Kokkos::deep_copy(view, 4);
      update_halo(u);
      index_t wrong = 0;
      for_each_cell(u, [&](index_t cell, bool beyond) { wrong += cell != (beyond ? 0 : 4); });
      CHECK(wrong == 0);
    }
  });
}
