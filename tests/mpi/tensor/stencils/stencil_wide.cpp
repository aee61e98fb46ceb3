// Stencils that reach 3 to 5 cells, as loops over the whole array: beyond shards, beyond the domain, and with as many cells
// as ranks, one less and one more.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include "support/halo_definitions.hpp"
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using test::three_indices, test::number, test::number_at;

// Each functor has a list of the cells that it reads, with a factor for each.
struct term {
  three_indices offset;
  double factor;
};
struct line_5 {
  static constexpr auto reach = star({5, 4});
  static constexpr term terms[]{{{-5}, 1}, {{-3}, 2}, {{4}, -3}, {{3}, 5}, {{0}, 7}};
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-5) + 2 * u(-3) - 3 * u(4) + 5 * u(3) + 7 * u(0);
  }
};
struct star_4 {
  static constexpr auto reach = star({3, 4}, {4, 3});
  static constexpr term terms[]{{{-3, 0}, 1}, {{4, 0}, 2}, {{0, -4}, -3}, {{0, 3}, 5}, {{0, 0}, 7}, {{1, 0}, 11}};
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-3, 0) + 2 * u(4, 0) - 3 * u(0, -4) + 5 * u(0, 3) + 7 * u(0, 0) + 11 * u(1, 0);
  }
};
struct box_5 {
  static constexpr auto reach = box({3, 4}, {5, 3});
  static constexpr term terms[]{{{-3, -5}, 1}, {{4, 3}, 2}, {{-3, 3}, -3}, {{4, -5}, 5}, {{1, -1}, 7}, {{0, 0}, 11}};
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-3, -5) + 2 * u(4, 3) - 3 * u(-3, 3) + 5 * u(4, -5) + 7 * u(1, -1) + 11 * u(0, 0);
  }
};
struct block_5 {
  static constexpr auto reach = box({3, 5}, {4, 3}, {5, 4});
  static constexpr term terms[]{{{-3, -4, -5}, 1}, {{5, 3, 4}, 2}, {{-3, 3, -5}, -3}, {{5, 0, -1}, 5}, {{0, 0, 0}, 7}};
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-3, -4, -5) + 2 * u(5, 3, 4) - 3 * u(-3, 3, -5) + 5 * u(5, 0, -1) + 7 * u(0, 0, 0);
  }
};

// The owned cells of f's result by loops. Outside of a box with this distance from the edges the operand stays.
template <class F, std::size_t N>
std::vector<double> by_loops(layout_detail::halo_widths const& widths, std::array<index_t, N> const& n,
                             index_t distance) {
  three_indices all{1, 1, 1};
  std::copy(n.begin(), n.end(), all.begin());
  std::vector<double> result;
  for (index_t i = 0; i < all[0]; ++i)
    for (index_t j = 0; j < all[1]; ++j)
      for (index_t k = 0; k < all[2]; ++k) {
        three_indices const at{i, j, k};
        bool computed = true;
        for (std::size_t d = 0; d < N; ++d) computed = computed && at[d] >= distance && at[d] < n[d] - distance;
        double sum = computed ? 0 : number{}(i, j, k);
        for (term const& t : F::terms)
          if (computed) sum += t.factor * number_at(widths, n, {i + t.offset[0], j + t.offset[1], k + t.offset[2]});
        result.push_back(sum);
      }
  return result;
}

template <class H, class F, class M, std::size_t N>
void check(device_mesh<M> const& m, std::vector<std::array<index_t, N>> const& extents) {
  constexpr corners which = F::reach.corners ? corners::filled : corners::skipped;
  for (auto const& n : extents) {
    CAPTURE(n[0]);
    index_t of_n[N];
    std::copy(n.begin(), n.end(), of_n);
    auto const u = generate<double, H>(m, of_n, number{});
    auto const whole = by_loops<F>(decltype(u)::widths, n, 0);
    CHECK(gather_all(owned(stencil(F{}, exchange_halo<which>(u)))) == whole);
    CHECK(gather_all(owned(stencil(F{}, exchange_halo_async<which>(u)))) == whole);
    CHECK(gather_all(owned(stencil(F{}, inside(2), exchange_halo_async<which>(u)))) ==
          by_loops<F>(decltype(u)::widths, n, 2));
  }
}
template <class H, class F, std::size_t N>
void check_on_meshes(std::vector<std::array<index_t, N>> const& extents) {
  for (auto const& sizes : test::halo_meshes())
    check<H, F>(device_mesh<test::halo_grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), extents);
}

}  // namespace

TEST_CASE("stencil: a reach of 5 on lines") {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 1>> const lines{{0}, {1}, {p - 1}, {p}, {p + 1}, {13}, {47}};
  check_on_meshes<layout<halo("y", 5)>, line_5>(lines);
  check_on_meshes<layout<halo("y", 5, 4, boundary::copy, boundary::odd)>, line_5>(lines);
  check_on_meshes<layout<halo("y", 6, 5, boundary::periodic)>, line_5>(lines);
  check_on_meshes<layout<halo("y", 5, 4, boundary::reflect, boundary::given)>, line_5>(lines);
  check_on_meshes<layout<halo(axes("y", "x"), 5, boundary::mirror)>, line_5>(lines);
}

TEST_CASE("stencil: reaches of 3 to 5 on planes, with and without corners") {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 2>> const planes{{0, 3}, {1, p}, {p - 1, p + 1}, {p + 1, p - 1}, {p, 13}, {19, 11}};
  using one = layout<halo("y", 3, 4, boundary::mirror), halo("x", 5, 3, boundary::periodic)>;
  using two = layout<halo("x", 4, boundary::odd, boundary::copy), halo("y", 5, boundary::given, boundary::zero)>;
  using three = layout<halo("y", 3, 5, boundary::reflect), halo(none, 5, boundary::copy, boundary::mirror)>;
  check_on_meshes<one, star_4>(planes);
  check_on_meshes<one, box_5>(planes);
  check_on_meshes<two, star_4>(planes);
  check_on_meshes<two, box_5>(planes);
  check_on_meshes<three, box_5>(planes);
}

TEST_CASE("stencil: reaches of 3 to 5 on blocks") {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 3>> const blocks{{p - 1, p, p + 1}, {7, 5, 11}, {2, 0, 3}};
  for (auto const& sizes : test::halo_meshes_3()) {
    device_mesh<test::halo_grid_3> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
    check<layout<halo("z", 3, 5), halo("y", 4, boundary::periodic), halo("x", 5, boundary::copy)>, block_5>(m, blocks);
  }
}
