// Tensors with halos whose cells are terms of a sum, beside the same computation on the sum.
#include <ashlar/tensor/tensor.hpp>
#include "ashlar/autodiff/autodiff.hpp"
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

struct number {
  double factor = 1;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0, index_t k = 0) const {
    return factor * static_cast<double>(5 + 7 * i + 3 * j + k + i * j % 5);
  }
};
struct differences {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return 2 * u(1, 0) - u(-1, 0) + u(0, 1) - 3 * u(0, -1) + u(0, 0);
  }
};

template <class X, class Y>
bool same_owned(X const& x, Y const& y) {
  return gather_all(owned(x)) == gather_all(owned(y));
}

// H without the sum, and partial over axes that shard nothing. Rank k of the q ranks along these holds k + 1 times the
// numbers, whose sum is q (q + 1) / 2 times the numbers.
template <class H, dimension Axes, class M, std::size_t N>
void check_sums(device_mesh<M> const& m, std::array<index_t, N> const& extents) {
  using terms = partial<H, Axes>;
  index_t n[N];
  for (std::size_t d = 0; d < N; ++d) n[d] = extents[d];
  axis_mask const axes = layout_value_v<M, owned_layout_t<terms>>.partial();
  int const q = m.sizes().ranks(axes), k = m.sizes().position(m.rank(), axes);
  double const total = q * (q + 1) / 2;
  auto const numbers = generate<double, fresh<H>>(m, n, number{k + 1.});
  auto u = make<double, terms>(m, n);
  Kokkos::deep_copy(u.stored_view(), numbers.stored_view());
  auto const whole = generate<double, H>(m, n, number{total});
  auto const filled = exchange_halo(whole);

  CHECK(same_owned(all_reduce(u), whole));
  // [all_reduce]
  auto const all = all_reduce<Axes>(exchange_halo(u));  // halo cells, too
  // [all_reduce]
  static_assert(std::is_same_v<layout_t<decltype(all)>, fresh<H>>);
  CHECK(test::same_stored_cells(all, filled));
  CHECK(same_owned(all_reduce(exchange_halo<corners::skipped>(u)), whole));
  CHECK(same_owned(all_reduce(3. * u + (u - exchange_halo(u))), 3. * whole));
  CHECK(gather_all(all_reduce(owned(u))) == gather_all(owned(whole)));
  CHECK(same_owned(redistribute<H>(u), whole));
  auto const first = item(all_reduce(sum(u))), second = item(all_reduce(sum(whole)));
  CHECK(first == second);
  auto doubled = u;
  doubled += u;
  CHECK(same_owned(all_reduce(doubled), 2. * whole));
  CHECK(same_owned(all_reduce(u), whole));

  auto const parts = as_partial<Axes>(filled);
  static_assert(std::is_same_v<layout_t<decltype(parts)>, fresh<terms>>);
  CHECK(test::same_stored_cells(all_reduce(parts), filled));
  CHECK(test::same_stored_cells(all_reduce(exchange_halo(as_partial<Axes>(whole))), filled));
  CHECK(same_owned(all_reduce(u + as_partial<Axes>(whole)), 2. * whole));

  auto const totals = generate<double, fresh<H>>(m, n, number{total});
  auto sums = make<double, halo_sums<terms>>(m, n);
  auto whole_sums = make<double, halo_sums<H>>(m, n);
  Kokkos::deep_copy(sums.stored_view(), numbers.stored_view());
  Kokkos::deep_copy(whole_sums.stored_view(), totals.stored_view());
  CHECK(test::same_stored_cells(all_reduce(sums), whole_sums));
  CHECK(test::same_stored_cells(all_reduce(sums + 2. * sums), all_reduce(3. * sums)));
  CHECK(same_owned(all_reduce(add_halo(sums)), add_halo(whole_sums)));
}

template <class H, dimension Axes, class M, std::size_t N>
void check_sums(device_mesh<M> const& m, std::vector<std::array<index_t, N>> const& all) {
  for (auto const& n : all) check_sums<H, Axes>(m, n);
}

}  // namespace

TEST_CASE("partial halos: sums of all stored cells, on two axes") {
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<test::halo_grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    std::vector<std::array<index_t, 1>> const lines{{0}, {1}, {3}, {8}, {23}};
    check_sums<layout<halo("y", 1, 2)>, "x">(m, lines);
    check_sums<layout<halo("y", 5, 4, boundary::periodic)>, "x">(m, lines);
    check_sums<layout<halo("y", 4, boundary::odd)>, "x">(m, lines);
    check_sums<layout<halo(none, 1, boundary::copy), none>, axes("y", "x")>(
        m, std::vector<std::array<index_t, 2>>{{0, 2}, {4, 3}});
  }
}

TEST_CASE("partial halos: sums of all stored cells, on three axes") {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 2>> const planes{{5, 7}, {p - 1, p + 1}, {2, 1}, {0, 4}};
  for (auto const& sizes : test::halo_meshes_3()) {
    device_mesh<test::halo_grid_3> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
    check_sums<layout<halo("y", 1), halo("x", 2, boundary::periodic)>, "z">(m, planes);
    check_sums<layout<halo(axes("z", "x"), 2, boundary::mirror), halo(none, 1, boundary::reflect)>, "y">(m, planes);
    check_sums<layout<halo("x", 1, boundary::zero), none>, axes("z", "y")>(m, planes);
  }
}

TEST_CASE("partial halos: stencils, views with strides, the ledger, and derivatives") {
  using M = test::halo_grid_3;
  using H = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;
  using terms = partial<H, "z">;
  for (auto const& sizes : test::halo_meshes_3()) {
    device_mesh<M> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
    int const q = sizes[0], k = m.sizes().position(m.rank(), layout_value_v<M, owned_layout_t<terms>>.partial());
    index_t const rows = 9, columns = 7;
    auto const numbers = generate<double, fresh<H>>(m, {rows, columns}, number{k + 1.});
    auto u = make<double, terms>(m, {rows, columns});
    Kokkos::deep_copy(u.stored_view(), numbers.stored_view());
    auto const whole = generate<double, H>(m, {rows, columns}, number{q * (q + 1) / 2.});
    auto const expected = stencil(differences{}, exchange_halo(whole));
    CHECK(same_owned(all_reduce(stencil(differences{}, exchange_halo(u))), expected));
    CHECK(same_owned(all_reduce(stencil(differences{}, exchange_halo_async<corners::skipped>(u))), expected));
    CHECK(same_owned(all_reduce(stencil(differences{}, inside(1), exchange_halo_async(u))),
                     stencil(differences{}, inside(1), exchange_halo(whole))));

    shape const stored = u.stored_extents();
    Kokkos::View<double**, Kokkos::LayoutRight> const wide("wide", static_cast<std::size_t>(stored[0]),
                                                           static_cast<std::size_t>(stored[1] + 3));
    auto const part = Kokkos::subview(wide, Kokkos::ALL, std::pair<index_t, index_t>(2, 2 + stored[1]));
    auto strided = adopt<terms>(m, part, {rows, columns});
    Kokkos::deep_copy(strided.owned_view(), u.owned_view());
    auto const summed = all_reduce(exchange_halo(strided));
    CHECK(same_owned(summed, whole));
    if (q > 1) CHECK(test::same_stored_cells(summed, exchange_halo(whole)));  // one rank keeps the strides

    auto const program = [](auto const& machine) {
      auto const x = exchange_halo(make<double, terms>(machine, {9, 7}));
      (void)all_reduce(x);
    };
    recorder<M> notes;
    m.record(&notes);
    program(m);
    m.record(nullptr);
    auto const planned = dry_run(m.shape(), program);
    REQUIRE(notes.log.count() == planned.count());
    CHECK(notes.log.bytes_per_rank() == planned.bytes_per_rank());
    CHECK(planned.count(collective::all_reduce, "z") == (q > 1 ? 1 : 0));

    auto const by_terms = [](auto const& x) {
      auto const y = all_reduce<"z">(stencil(differences{}, exchange_halo(3. * as_partial<"z">(x))));
      auto const z = all_reduce(exchange_halo<corners::skipped>(as_partial<"z">(x)));
      return all_reduce(sum(y * y * x)) + all_reduce(sum(stencil(differences{}, z) * x));
    };
    auto const without_terms = [](auto const& x) {
      auto const y = stencil(differences{}, exchange_halo(3. * x));
      return all_reduce(sum(y * y * x)) +
             all_reduce(sum(stencil(differences{}, exchange_halo<corners::skipped>(x)) * x));
    };
    auto const [value, g] = value_and_grad<none>(by_terms)(whole);
    auto const [same_value, same_g] = value_and_grad<none>(without_terms)(whole);
    CHECK(item(value) == item(same_value));
    CHECK(same_owned(g, same_g));
    // With respect to the terms: the cotangent is whole on each rank.
    auto const [of_terms, ct] = value_and_grad<none>([&](auto const& x) {
      auto const y = stencil(differences{}, exchange_halo(all_reduce(x)));
      return all_reduce(sum(y * y));
    })(u);
    auto const [of_sum, expected_ct] = value_and_grad<none>([&](auto const& x) {
      auto const y = stencil(differences{}, exchange_halo(x));
      return all_reduce(sum(y * y));
    })(whole);
    CHECK(item(of_terms) == item(of_sum));
    static_assert(std::is_same_v<layout_t<decltype(ct)>, H>);
    CHECK(same_owned(ct, expected_ct));
  }
}
