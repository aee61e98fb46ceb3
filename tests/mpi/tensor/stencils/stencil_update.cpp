// Stencils that update one colour in place, compared with loops over the whole array.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using S = layout<halo("y", 1, boundary::mirror), halo("x", 1, 2)>;
using O = layout<"y", "x">;

struct number {
  index_t a;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((a + 7 * i + 3 * j) % 11 - 4);
  }
};
struct gauss_seidel {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& b) const {
    return b(0, 0) + u(-1, 0) + 2 * u(1, 0) - u(0, -1) + u(0, 1);
  }
};
struct with_index {
  static constexpr auto reach = star(0, 1);
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u) const {
    return static_cast<double>(at[0] + 2 * at[1]) - u(0, 1);
  }
};
struct diagonal {
  static constexpr auto reach = box(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return u(1, 1); }
};

}  // namespace

TEST_CASE("update: red and black cells, and three colours, as loops over the whole array") {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {1, 17}, {0, 3}}) {
      device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
      auto u = generate<double, S>(m, {n[0], n[1]}, number{1});
      auto const b = generate<double, O>(m, {n[0], n[1]}, number{3});
      auto expected = gather_all(u);
      auto const right = gather_all(b);
      auto const at = [&](index_t i, index_t j) -> double {
        if (j < 0 || j >= n[1]) return 0;
        i = i < 0 ? 0 : i >= n[0] ? n[0] - 1 : i;
        return expected[static_cast<std::size_t>(i * n[1] + j)];
      };
      auto const sweep = [&](int which, int of, auto const& value) {
        auto next = expected;
        for (index_t i = 0; i < n[0]; ++i)
          for (index_t j = 0; j < n[1]; ++j)
            if ((i + j) % of == which) next[static_cast<std::size_t>(i * n[1] + j)] = value(i, j);
        expected = next;
      };
      double const* const memory = u.stored_data();
      for (int which : {0, 1, 0}) {
        // [update]
        update(gauss_seidel{}, colour(which, 2), u, b);
        // [update]
        sweep(which, 2, [&](index_t i, index_t j) {
          return right[static_cast<std::size_t>(i * n[1] + j)] + at(i - 1, j) + 2 * at(i + 1, j) - at(i, j - 1) +
                 at(i, j + 1);
        });
        CHECK(gather_all(u) == expected);
      }
      CHECK(u.stored_data() == memory);
      for (int which : {2, 0, 1}) {
        update(with_index{}, colour(which, 3), u);
        sweep(which, 3, [&](index_t i, index_t j) { return static_cast<double>(i + 2 * j) - at(i, j + 1); });
        CHECK(gather_all(u) == expected);
      }
      // Other tensors and expressions keep their elements.
      auto const copy = u;
      auto const twice = 2. * u;
      update(with_index{}, colour(0, 2), u);
      CHECK(gather_all(copy) == expected);
      CHECK(gather_all(twice) == gather_all(2. * copy));
      CHECK_THROWS_WITH_AS(update(diagonal{}, colour(0, 2), u), doctest::Contains("ashlar::update: the functor reads"),
                           ashlar::error);
      recorder<grid> notes;
      m.record(&notes);
      update(with_index{}, colour(0, 2), u);
      m.record(nullptr);
      CHECK(notes.log.count(collective::exchange_halo) == (m.size() > 1 ? 1 : 0));
    }
}
