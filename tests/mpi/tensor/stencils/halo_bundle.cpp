// The exchange of several halos at once gives the cells of the exchanges one by one, by one message from each neighbour.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using narrow = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;
using wide = layout<halo("y", 2, 3, boundary::odd), halo("x", 2, boundary::mirror)>;
using rows = layout<halo(axes("y", "x"), 1, boundary::copy), halo(none, 1), none>;

struct number {
  ASHLAR_FUNCTION auto operator()(index_t i, index_t j, index_t k = 0) const {
    return static_cast<signed char>((7 * i + 3 * j + k) % 100);
  }
};

struct cross {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& x) const {
    return x(-1, 0) + 2 * x(1, 0) + 3 * x(0, -1) - x(0, 1);
  }
};

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {0, 5}, {40, 70}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

}  // namespace

TEST_CASE("bundle of halos: fields of other layouts, halos, extents and element types") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const u = generate<double, narrow>(m, {n[0], n[1]}, number{});
    auto const v = generate<signed char, wide>(m, {n[0], n[1]}, number{});
    auto const w = generate<float, rows>(m, {n[1], n[0], 3}, number{});
    for (int repeat = 0; repeat < 2; ++repeat) {
      // [bundle]
      auto const [a, b, c] = exchange_halo(bundle(u, v, w));
      // [bundle]
      static_assert(std::is_same_v<layout_t<decltype(a)>, fresh<narrow>> &&
                    std::is_same_v<layout_t<decltype(b)>, fresh<wide>>);
      CHECK(a.stored_data() == u.stored_data());
      CHECK(test::same_stored_cells(a, generate<double, fresh<narrow>>(m, {n[0], n[1]}, number{})));
      CHECK(test::same_stored_cells(b, generate<signed char, fresh<wide>>(m, {n[0], n[1]}, number{})));
      CHECK(test::same_stored_cells(c, generate<float, fresh<rows>>(m, {n[1], n[0], 3}, number{})));
    }
    {
      auto pending = exchange_halo_async(bundle(1 * u, v, w));
      while (!pending.ready()) continue;
      auto const [a, b, c] = pending.wait();
      CHECK(test::same_stored_cells(a, generate<double, fresh<narrow>>(m, {n[0], n[1]}, number{})));
      CHECK(test::same_stored_cells(b, generate<signed char, fresh<wide>>(m, {n[0], n[1]}, number{})));
      CHECK(test::same_stored_cells(c, generate<float, fresh<rows>>(m, {n[1], n[0], 3}, number{})));
    }
    {
      auto x = stencil(cross{}, exchange_halo<corners::skipped>(u));
      auto const before = gather_all(owned(x));
      auto pending = exchange_halo_async(bundle(x, u));
      (void)exchange_halo(bundle(u, x));  // another one meanwhile
      x += x;                             // completes it first, in memory of its own
      auto const [a, b] = pending.wait();
      CHECK(gather_all(owned(a)) == before);
      CHECK(test::same_stored_cells(b, generate<double, fresh<narrow>>(m, {n[0], n[1]}, number{})));
    }
    auto const [a, b] = exchange_halo<corners::skipped>(bundle(2 * u, v));
    static_assert(std::is_same_v<layout_t<decltype(b)>, fresh<wide, corners::skipped>>);
    CHECK(gather_all(owned(stencil(cross{}, a))) ==
          gather_all(owned(stencil(cross{}, exchange_halo<corners::skipped>(2 * u)))));
  });
}

TEST_CASE("bundle of halos: one message from each neighbour, and one collective with all bytes") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const u = generate<double, narrow>(m, {n[0], n[1]}, number{});
    auto const v = generate<float, narrow>(m, {n[0], n[1]}, number{});
    auto const& ranks = m.communicator(ops_detail::halo_step<grid, narrow>.axes);
    auto const recorded = [&](auto const& f) {
      recorder<grid> notes;
      m.record(&notes);
      auto const before = ranks.size() > 1 ? ranks.counters().mpi_sends : 0;
      f();
      m.record(nullptr);
      CHECK(notes.log.count() == (ranks.size() > 1 ? 1 : 0));
      return std::pair(ranks.size() > 1 ? ranks.counters().mpi_sends - before : 0, notes.log.bytes_per_rank());
    };
    auto const one = recorded([&] { (void)exchange_halo(u); });
    auto const both = recorded([&] { (void)exchange_halo(bundle(u, v)); });
    CHECK(both.first == one.first);
    CHECK(both.second == one.second + one.second / 2);
  });
}

TEST_CASE("bundle of halos: adopted memory with strides, and given cells") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using given = layout<halo("y", 1, boundary::given), halo("x", 1)>;
  for_each_grid([](auto const& m, auto const& n) {
    auto const like = generate<double, given>(m, {n[0], n[1]}, number{});
    shape const stored = like.stored_extents();
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const whole(
        "mine", static_cast<std::size_t>(stored[0]), static_cast<std::size_t>(stored[1] + 5));
    auto u =
        adopt<given>(m, Kokkos::subview(whole, Kokkos::ALL, std::pair<index_t, index_t>(0, stored[1])), {n[0], n[1]});
    Kokkos::deep_copy(u.strided_view(), like.strided_view());
    auto const [a, b] = exchange_halo(bundle(u, like));
    auto const x = a.strided_view();
    auto const y = b.strided_view();
    bool same = true;
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t j = 0; j < x.extent(1); ++j) same = same && x(i, j) == y(i, j);
    CHECK(same);
    CHECK(test::same_stored_cells(b, generate<double, fresh<given>>(m, {n[0], n[1]}, number{})));
  });
}

TEST_CASE("bundle of halos: the derivative is that of the exchanges") {
  for_each_grid([](auto const& m, auto const& n) {
    auto const u = generate<double, narrow>(m, {n[0], n[1]}, number{});
    auto const weight = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number{});
    auto const loss = [&](auto const& a, auto const& b) {
      return all_reduce(sum(weight * (stencil(cross{}, a) + 2 * stencil(cross{}, b))));
    };
    auto const at_once = value_and_grad<none>([&](auto const& x) {
      auto const [a, b] = exchange_halo<corners::skipped>(bundle(x, u));
      return loss(a, b);
    })(u);
    auto const later = value_and_grad<none>([&](auto const& x) {
      auto const [a, b] = exchange_halo_async<corners::skipped>(bundle(x, u)).wait();
      return loss(a, b);
    })(u);
    CHECK(gather_all(owned(later.gradients)) == gather_all(owned(at_once.gradients)));
    auto const alone = value_and_grad<none>(
        [&](auto const& x) { return loss(exchange_halo<corners::skipped>(x), exchange_halo<corners::skipped>(u)); })(u);
    CHECK(gather_all(owned(at_once.gradients)) == gather_all(owned(alone.gradients)));
  });
}
