// redistribute and scatter to layouts with halos give the cells that the index says.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using H = layout<halo("y", 1, edge::periodic), halo("x", 2, edge::odd)>;
using other = layout<halo(none, 3, edge::mirror), halo(axes("x", "y"), 1)>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(100 * i + j); }
};
struct weight {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>((5 * i + 3 * j) % 7); }
};

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {0, 5}, {1, 7}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

}  // namespace

TEST_CASE("redistribute: to a halo, from a halo, and between two") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const cells = [&]<class L>(L*) { return generate<double, L>(m, {n[0], n[1]}, number{}); };
    auto const plain = cells(static_cast<layout<none, "y">*>(nullptr));
    auto const filled = cells(static_cast<H*>(nullptr));
    auto const there = cells(static_cast<other*>(nullptr));
    CHECK(test::same_stored_cells(redistribute<H>(plain), filled));
    CHECK(test::same_stored_cells(redistribute<other>(filled), there));
    CHECK(test::same_stored_cells(redistribute<H>(as_stale(there)), filled));
    auto const back = redistribute<layout<none, "y">>(there);
    static_assert(std::is_same_v<layout_t<decltype(back)>, layout<none, "y">>);
    CHECK(gather_all(back) == gather_all(plain));
    auto const old = redistribute<stale<H>>(plain);
    static_assert(std::is_same_v<layout_t<decltype(old)>, stale<H>>);
    CHECK(redistribute<H>(old).stored_data() == old.stored_data());
    CHECK(test::same_stored_cells(redistribute<H>(old), filled));
    CHECK(redistribute<stale<H>>(filled).stored_data() == filled.stored_data());
    CHECK(gather_all(owned(redistribute<without_corners<H>>(plain))) == gather_all(plain));
  });
}

TEST_CASE("redistribute: the transpose of that to and from halos") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const x = generate<double, layout<none, axes("y", "x")>>(m, {n[0], n[1]}, number{});
    auto const w = generate<double, layout<"x", "y">>(m, {n[0], n[1]}, weight{});
    auto const f = [&](auto const& u) {
      return all_reduce(sum(w * redistribute<layout<"x", "y">>(redistribute<stale<H>>(u))));
    };
    auto const [value, g] = value_and_grad<none>(f)(x);
    CHECK(gather_all(g) == gather_all(redistribute<layout<none, axes("y", "x")>>(w)));
  });
}

TEST_CASE("scatter: to a layout with a halo") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const filled = generate<double, H>(m, {n[0], n[1]}, number{});
    auto const all = gather(filled);
    CHECK(test::same_stored_cells(scatter<H>(m, {n[0], n[1]}, all), filled));
    CHECK(gather(scatter<stale<other>>(m, {n[0], n[1]}, all)) == all);
  });
}
