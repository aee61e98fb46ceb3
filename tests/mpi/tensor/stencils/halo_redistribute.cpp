// redistribute and scatter to layouts with halos give the cells that the index says.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_definitions.hpp"
#include "support/halo_meshes.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using test::number;
using H = layout<halo("y", 1, boundary::periodic), halo("x", 2, boundary::odd)>;
using other = layout<halo(none, 3, boundary::mirror), halo(axes("x", "y"), 1)>;

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
    auto const filled = cells(static_cast<fresh<H>*>(nullptr));
    auto const there = cells(static_cast<fresh<other>*>(nullptr));
    CHECK(test::same_stored_cells(redistribute<fresh<H>>(plain), filled));
    CHECK(test::same_stored_cells(redistribute<fresh<other>>(filled), there));
    CHECK(test::same_stored_cells(redistribute<fresh<H>>(redistribute<other>(there)), filled));
    auto const back = redistribute<layout<none, "y">>(there);
    static_assert(std::is_same_v<layout_t<decltype(back)>, layout<none, "y">>);
    CHECK(gather_all(back) == gather_all(plain));
    auto const old = redistribute<H>(plain);
    static_assert(std::is_same_v<layout_t<decltype(old)>, H>);
    auto const same = redistribute<fresh<H>>(old);
    CHECK(same.stored_data() == old.stored_data());
    CHECK(test::same_stored_cells(redistribute<fresh<H>>(old), filled));
    auto const same_filled = redistribute<H>(filled);
    CHECK(same_filled.stored_data() == filled.stored_data());
    CHECK(gather_all(owned(redistribute<fresh<H, corners::skipped>>(plain))) == gather_all(plain));
  });
}

TEST_CASE("redistribute: the transpose of that to and from halos") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const x = generate<double, layout<none, axes("y", "x")>>(m, {n[0], n[1]}, number{});
    auto const w = generate<double, layout<"x", "y">>(m, {n[0], n[1]}, weight{});
    auto const f = [&](auto const& u) {
      return all_reduce(sum(w * redistribute<layout<"x", "y">>(redistribute<H>(u))));
    };
    auto const [value, g] = value_and_grad<none>(f)(x);
    CHECK(gather_all(g) == gather_all(redistribute<layout<none, axes("y", "x")>>(w)));
  });
}

namespace {
// scatter<fresh<F>> stores the cells that generate computes, and exchanges nothing.
template <class F, class T>
void check_scatter(device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
  auto const stored = generate<T, fresh<F>>(
      m, {n[0], n[1]}, KOKKOS_LAMBDA(index_t i, index_t j) { return static_cast<T>(number{}(i, j)); });
  auto const all = gather(stored);
  recorder<grid> found;
  m.record(&found);
  auto const x = scatter<fresh<F>>(m, {n[0], n[1]}, all);
  auto const y = scatter<fresh<F, corners::skipped>>(m, {n[0], n[1]}, all);
  m.record(nullptr);
  CHECK(found.log.count() == 0);
  CHECK(test::same_stored_cells(x, stored));
  std::vector<T> expected;
  test::for_each_stored(stored, [&](test::three_indices const&, int, T cell) { expected.push_back(cell); });
  std::size_t i = 0;
  int wrong = 0;
  test::for_each_stored(y, [&](test::three_indices const&, int outside, T cell) {
    wrong += outside <= 1 && cell != expected[i];
    ++i;
  });
  CHECK(wrong == 0);
  CHECK(gather(scatter<F>(m, {n[0], n[1]}, all)) == all);
}
}  // namespace

TEST_CASE("scatter: to a layout with a halo, whose cells are sent along") {
  for_each_grid([](auto const& m, auto const& n) {
    check_scatter<H, double>(m, n);
    check_scatter<other, float>(m, n);
    check_scatter<layout<halo("x", 3, 1, boundary::odd, boundary::copy), halo("y", 1, 4, boundary::reflect)>, long>(m,
                                                                                                                    n);
    check_scatter<layout<halo(axes("y", "x"), 2, boundary::periodic), halo(none, 1, boundary::odd)>, double>(m, n);
    check_scatter<layout<halo("y", 1, 3, boundary::zero, boundary::mirror), halo(none, 2)>, double>(m, n);
    check_scatter<layout<halo("y", 5, boundary::mirror), "x">, double>(m, n);
  });
}
