// labels: host sanitizers
// Views of the program's own with strides, as tensors with halos: exchanged in place, and operands like all others.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using H = layout<halo("y", 1, 2, boundary::mirror), halo("x", 2, boundary::periodic)>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(100 * i + j); }
};
struct cross {
  static constexpr auto reach = star(1, 2);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) + 2 * u(-1, 0) - u(1, 0) + 3 * u(0, -2) - u(0, 2);
  }
};

template <class F>
void for_each_mesh(F const& f) {
  for (auto const& sizes : test::halo_meshes()) f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}));
}

// The stored cells of two tensors of the same halo, of which one may have strides.
template <class A, class B>
bool same_cells(A const& a, B const& b) {
  auto const x = a.strided_view();
  auto const y = b.strided_view();
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      if (x(i, j) != y(i, j)) return false;
  return true;
}

// What holds for a view of this rank's stored cells of an n x k field, adopted by `adopt_it`.
template <class M, class Adopt>
void check_adopted(M const& m, index_t n, index_t k, Adopt const& adopt_it) {
  auto const like = generate<double, H>(m, {n, k}, number{});
  auto const filled = generate<double, fresh<H>>(m, {n, k}, number{});
  auto u = adopt_it(like.stored_extents());
  static_assert(std::is_same_v<layout_t<decltype(u)>, H>);
  double* const first = u.stored_data();
  Kokkos::deep_copy(u.owned_view(), like.owned_view());
  for (int repeat = 0; repeat < 2; ++repeat) update_halo(u);
  CHECK(same_cells(u, filled));
  CHECK(gather_all(owned(u)) == gather_all(owned(like)));
  CHECK(gather_all(owned(stencil(cross{}, exchange_halo_async(u)))) ==
        gather_all(owned(stencil(cross{}, exchange_halo_async(like)))));
  CHECK(item(all_reduce(sum(u * u))) == item(all_reduce(sum(like * like))));
  u += like;
  CHECK(u.stored_data() == first);
  auto const thrice = u + like;
  u += thrice;  // the expression keeps the elements that it reads
  CHECK(gather_all(owned(plan_detail::materialize(thrice))) == gather_all(owned(plan_detail::materialize(3 * like))));
  CHECK(gather_all(owned(u)) == gather_all(owned(plan_detail::materialize(5 * like))));
}

using row_major = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using column_major = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
std::size_t size_of(index_t n) { return static_cast<std::size_t>(n); }

}  // namespace

TEST_CASE("adopt: views that Kokkos has padded") {
  for_each_mesh([](auto const& m) {
    for (index_t n : {0, 3, 11})
      check_adopted(m, n, 83, [&](shape const& stored) {
        row_major const view(Kokkos::view_alloc("mine", Kokkos::AllowPadding), size_of(stored[0]), size_of(stored[1]));
        if (stored[0] > 1 && stored[1] > 32 && stored[1] % 8 != 0) CHECK(!view.span_is_contiguous());
        return adopt<H>(m, view, {n, index_t{83}});
      });
  });
}

TEST_CASE("adopt: a subview, whose surroundings stay as they are") {
  for_each_mesh([](auto const& m) {
    for (auto const& n : {std::array<index_t, 2>{7, 9}, {1, 2}}) {
      row_major whole;
      check_adopted(m, n[0], n[1], [&](shape const& stored) {
        whole = row_major("mine", size_of(2 * stored[0] + 1), size_of(stored[1] + 3));
        Kokkos::deep_copy(whole, -7.);
        auto const part = Kokkos::subview(whole, std::pair<index_t, index_t>(1, 1 + stored[0]),
                                          std::pair<index_t, index_t>(2, 2 + stored[1]));
        return adopt<H>(m, part, {n[0], n[1]});
      });
      std::size_t changed = 0;
      for (std::size_t i = 0; i < whole.size(); ++i) changed += whole.data()[i] != -7.;
      shape const stored = make<double, H>(m, {n[0], n[1]}).stored_extents();
      CHECK(changed == size_of(stored.size()));
    }
  });
}

TEST_CASE("adopt: column-major views and parts of them, in reversed order") {
  for_each_mesh([](auto const& m) {
    check_adopted(m, 9, 6, [&](shape const& stored) {
      return adopt_reversed<H>(m, column_major("mine", size_of(stored[1]), size_of(stored[0])), {9, 6});
    });
    check_adopted(m, 9, 6, [&](shape const& stored) {
      column_major const whole("mine", size_of(stored[1] + 5), size_of(stored[0] + 1));
      return adopt_reversed<H>(m,
                               Kokkos::subview(whole, std::pair<index_t, index_t>(5, 5 + stored[1]),
                                               std::pair<index_t, index_t>(0, stored[0])),
                               {9, 6});
    });
  });
}

TEST_CASE("adopt: strides on one rank alone, in memory that the node's ranks see") {
  for_each_mesh([](auto const& m) {
    auto room = make<double, layout<none, none>>(m, {200, 200});
    check_adopted(m, 70, 60, [&](shape const& stored) {
      bool const contiguous = m.rank() % 2 == 1;
      auto const whole = row_major(room.data(), 200, size_of(contiguous ? stored[1] : 200));
      auto const part =
          Kokkos::subview(whole, std::pair<index_t, index_t>(0, stored[0]), std::pair<index_t, index_t>(0, stored[1]));
      return adopt<H>(m, part, {70, 60});
    });
  });
}

TEST_CASE("adopt: given cells in strided memory") {
  using G = layout<halo("y", 1, boundary::given), halo("x", 1, boundary::copy)>;
  for_each_mesh([](auto const& m) {
    shape const stored = make<double, G>(m, {5, 8}).stored_extents();
    row_major const whole("mine", size_of(stored[0] + 1), size_of(stored[1] + 4));
    auto const part = Kokkos::subview(whole, std::pair<index_t, index_t>(0, stored[0]),
                                      std::pair<index_t, index_t>(3, 3 + stored[1]));
    auto u = adopt<G>(m, part, {5, 8});
    auto const like = generate<double, G>(m, {5, 8}, number{});
    Kokkos::deep_copy(u.owned_view(), like.owned_view());
    set_boundary(u, number{});
    update_halo(u);
    CHECK(same_cells(u, exchange_halo(like)));
    auto const v = u + like;  // takes the given cells of u
    CHECK(same_cells(exchange_halo(v - like), u));
  });
}

TEST_CASE("adopt: strided memory without room for neighbours is a halo of width 0") {
  for_each_mesh([](auto const& m) {
    for (auto const& n : {std::array<index_t, 2>{7, 9}, {1, 3}}) {
      index_t const rows = n[0], columns = n[1];
      auto const like = generate<double, layout<"y", "x">>(m, {rows, columns}, number{});
      row_major const whole("whole", size_of(like.local_extents()[0] + 2), size_of(like.local_extents()[1] + 3));
      auto const block = Kokkos::subview(whole, std::pair<index_t, index_t>(1, 1 + like.local_extents()[0]),
                                         std::pair<index_t, index_t>(2, 2 + like.local_extents()[1]));
      // [strided]
      using strided = layout<halo("y", 0), halo("x", 0)>;  // the split of layout<"y", "x">, in memory with strides
      auto u = adopt<strided>(m, block, {rows, columns});
      // [strided]
      Kokkos::deep_copy(u.owned_view(), like.view());
      recorder<grid> notes;
      m.record(&notes);
      (void)exchange_halo(u);
      m.record(nullptr);
      CHECK(notes.log.bytes_per_rank() == 0);
      u += like;
      CHECK(gather_all(owned(u)) == gather_all(plan_detail::materialize(2 * like)));
      CHECK(item(all_reduce(sum(u))) == 2 * item(all_reduce(sum(like))));
      CHECK(gather_all(redistribute<layout<none, axes("y", "x")>>(owned(u))) ==
            gather_all(plan_detail::materialize(2 * like)));
      double around = 0;  // the surroundings of the block
      for (std::size_t i = 0; i < whole.extent(0); ++i)
        for (std::size_t j = 0; j < whole.extent(1); ++j)
          if (i < 1 || i > block.extent(0) || j < 2 || j >= 2 + block.extent(1)) around += std::abs(whole(i, j));
      CHECK(around == 0);
    }
  });
}

TEST_CASE("adopt: what strided memory is not") {
  for_each_mesh([](auto const& m) {
    shape const stored = make<double, H>(m, {70, 60}).stored_extents();
    row_major const whole("mine", size_of(stored[0]), size_of(stored[1] + 4));
    auto const part = Kokkos::subview(whole, Kokkos::ALL, std::pair<index_t, index_t>(3, 3 + stored[1]));
    CHECK_THROWS_WITH_AS((adopt<halo_sums<H>>(m, part, {70, 60})),
                         doctest::Contains("ashlar::adopt: a halo of sums is contiguous; copy the view"), error);
    auto u = adopt<H>(m, part, {70, 60});
    CHECK_THROWS_WITH_AS(
        u.stored_view(),
        "ashlar::stored_view: the cells have the strides of the view that was adopted; write strided_view()", error);
    column_major const other("mine", 1, 1);
    CHECK_THROWS_WITH_AS(
        (adopt_reversed<H>(m, other, {70, 60})),
        doctest::Contains(
            "ashlar::adopt_reversed: the view has the extents of this rank's cells and their halo, in reversed order"),
        error);
  });
}
