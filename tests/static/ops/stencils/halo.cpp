// Halos in dry runs: types, ledger, bytes of small and large meshes.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});

static_assert(std::is_same_v<owned_layout_t<layout<halo("y", 1), halo(none, 2), "x">>, layout<"y", none, "x">>);
static_assert(std::is_same_v<owned_layout_t<layout<halo(axes("y", "x"), 1)>>, layout<axes("y", "x")>>);
static_assert(!std::is_same_v<fresh<field>, field>);
static_assert(std::is_same_v<fresh<fresh<field, corners::skipped>>, fresh<field>>);
static_assert(!std::is_same_v<layout<halo("y", 1)>, layout<halo("y", 1, boundary::copy)>>);
static_assert(std::is_same_v<layout<halo("y", 1)>, layout<halo("y", 1, 1, boundary::zero, boundary::zero)>>);
static_assert(!std::is_same_v<layout<halo("y", 0)>, layout<"y">>);

constexpr auto u = make<double, field>(m, {64, 48});
static_assert(std::is_same_v<layout_t<decltype(exchange_halo(u))>, fresh<field>>);
static_assert(std::is_same_v<layout_t<decltype(exchange_halo<corners::skipped>(u))>, fresh<field, corners::skipped>>);
static_assert(std::is_same_v<layout_t<decltype(exchange_halo(exchange_halo<corners::skipped>(u)))>, fresh<field>>);
static_assert(std::is_same_v<layout_t<decltype(owned(u))>, layout<"y", "x">>);
static_assert(std::is_same_v<layout_t<decltype(redistribute<field>(owned(u)))>, field>);

struct heat {
  static constexpr auto reach = star(1, 1);
  double r = 0;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v) const {
    return v(0, 0) + r * (v(-1, 0) + v(1, 0) + v(0, -1) + v(0, 1) - 4 * v(0, 0));
  }
};
struct at_the_centre {
  static constexpr auto reach = star(0, 0);
  ASHLAR_FUNCTION constexpr float operator()(auto const& v, auto const& w) const {
    return static_cast<float>(v(0, 0) + w(0, 0));
  }
};
static_assert(std::is_same_v<layout_t<decltype(stencil(heat{1}, exchange_halo_async(u)))>, field>);
// At the centre a stencil reads plain tensors and unfilled halos, and gives its own element type.
static_assert(std::is_same_v<decltype(stencil(at_the_centre{}, owned(u), u)),
                             decltype(make<float, layout<"y", "x">>(m, {64, 48}))>);

// Elementwise operations read owned cells, in any state of the halo, and leave an unfilled halo. Reductions give what they
// give of the owned cells.
constexpr auto v = exchange_halo(u);
constexpr auto plain = owned(u);
constexpr auto row = make<double, layout<"x">>(m, {48});
constexpr auto scalar = make<double, layout<>>(m);
static_assert(std::is_same_v<layout_t<decltype(u + v)>, field>);
static_assert(std::is_same_v<layout_t<decltype(exp(v))>, field>);
static_assert(std::is_same_v<layout_t<decltype(plain * v - row)>, field>);
static_assert(std::is_same_v<layout_t<decltype(scalar * u / 2.)>, field>);
static_assert(std::is_same_v<layout_t<decltype(exchange_halo(u - v))>, fresh<field>>);
static_assert(std::is_same_v<layout_t<decltype(redistribute<field>(v))>, field>);
static_assert(std::is_same_v<layout_t<decltype(sum(u * v))>, layout_t<decltype(sum(plain))>>);
static_assert(std::is_same_v<layout_t<decltype(max<0>(abs(v)))>, layout_t<decltype(max<0>(plain))>>);
static_assert((u * v).extents() == shape::of(64, 48));

// Sums of halos are linear. add_halo, the transpose of an exchange, has its bytes.
constexpr auto sums = make<double, halo_sums<field>>(m, {64, 48});
static_assert(std::is_same_v<layout_t<decltype(sums + 2. * sums)>, halo_sums<field>>);
static_assert(std::is_same_v<layout_t<decltype(scalar * sums / scalar)>, halo_sums<field>>);
static_assert(std::is_same_v<layout_t<decltype(add_halo(sums))>, field>);
template <corners C>
constexpr auto forth_and_back = [](auto const& machine) {
  (void)exchange_halo<C>(make<double, field>(machine, {64, 48}));
  (void)add_halo<C>(make<double, halo_sums<field>>(machine, {64, 48}));
};
static_assert(dry_run(grid{{2, 2}}, forth_and_back<corners::filled>).bytes_per_rank(collective::add_halo) ==
              dry_run(grid{{2, 2}}, forth_and_back<corners::filled>).bytes_per_rank(collective::exchange_halo));
static_assert(dry_run(grid{{2, 2}}, forth_and_back<corners::skipped>).bytes_per_rank(collective::add_halo) ==
              (32 + 24) * 8);

// The ledger counts the cells of other ranks, each once.
template <class H, corners C>
constexpr index_t bytes(grid const& g, index_t ny, index_t nx) {
  return dry_run(g,
                 [=](auto const& machine) {
                   (void)exchange_halo<C>(make<double, H>(machine, {ny, nx}));
                 })
      .bytes_per_rank();
}
static_assert(bytes<field, corners::skipped>(grid{{2, 2}}, 4096, 4096) == (2048 + 2048) * 8);
static_assert(bytes<field, corners::filled>(grid{{2, 2}}, 4096, 4096) == (2048 + 2048 + 1) * 8);
static_assert(bytes<field, corners::filled>(grid{{1, 2}}, 4096, 4096) == 4096 * 8);
static_assert(bytes<field, corners::filled>(grid{{1, 1}}, 4096, 4096) == 0);
using torus = layout<halo("y", 1, 2, boundary::periodic), halo("x", 1, boundary::periodic)>;
static_assert(bytes<torus, corners::filled>(grid{{4, 4}}, 64, 64) == (19 * 18 - 16 * 16) * 8);
static_assert(bytes<torus, corners::filled>(grid{{2, 4}}, 4, 64) == (4 * 18 - 2 * 16) * 8);  // all rows, each once
static_assert(bytes<torus, corners::filled>(grid{{65536, 16384}}, index_t{1} << 24, index_t{1} << 24) ==
              (259 * 1026 - 256 * 1024) * 8);
static_assert(bytes<layout<halo("y", 0), "x">, corners::filled>(grid{{2, 2}}, 8, 8) == 0);

// The record has the neighbours of the rank that receives most.
template <class H, corners C>
constexpr int neighbours(grid const& g, index_t ny, index_t nx) {
  return dry_run(g,
                 [=](auto const& machine) {
                   (void)exchange_halo<C>(make<double, H>(machine, {ny, nx}));
                 })[0]
      .neighbours;
}
static_assert(neighbours<field, corners::skipped>(grid{{2, 2}}, 4096, 4096) == 2);
static_assert(neighbours<field, corners::filled>(grid{{2, 2}}, 4096, 4096) == 3);
static_assert(neighbours<field, corners::filled>(grid{{1, 2}}, 4096, 4096) == 1);
static_assert(neighbours<field, corners::filled>(grid{{4, 4}}, 64, 64) == 8);
static_assert(neighbours<field, corners::skipped>(grid{{4, 4}}, 64, 64) == 4);
static_assert(neighbours<torus, corners::filled>(grid{{2, 2}}, 64, 64) == 3);  // the same rank on both sides
static_assert(neighbours<torus, corners::filled>(grid{{65536, 16384}}, index_t{1} << 24, index_t{1} << 24) == 8);
static_assert(neighbours<layout<halo("y", 3), "x">, corners::filled>(grid{{65536, 16384}}, 65536, 16384) == 6);
static_assert(neighbours<layout<halo(axes("y", "x"), 1), none>, corners::filled>(grid{{65536, 16384}}, index_t{1} << 40,
                                                                                 4) == 2);
static_assert(dry_run(grid{{2, 2}}, forth_and_back<corners::filled>)[1].neighbours == 3);

constexpr auto three_steps = [](auto const& machine) {
  auto w = make<double, field>(machine, {64, 64});
  for (int t = 0; t < 3; ++t) w = stencil(heat{0.1}, exchange_halo_async<corners::skipped>(w));
};
static_assert(dry_run(grid{{4, 2}}, three_steps).count(collective::exchange_halo) == 3);

}  // namespace
