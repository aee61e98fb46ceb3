// Composed stencils have one exchange, of a wider halo with corners.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 4), halo("x", 4)>;
struct heat {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + 0.1f * static_cast<float>(u(-1, 0) + u(0, 1)); }
};
struct upwind {
  static constexpr auto reach = star({2, 0}, {0, 1});
  constexpr auto operator()(auto const& u) const { return u(0, 0) - u(-2, 0); }
};
static_assert(decltype(compose(heat{}, upwind{}))::reach.lower[0] == 3);
static_assert(decltype(compose(heat{}, upwind{}))::reach.upper[1] == 2);
static_assert(decltype(compose(heat{}, upwind{}))::reach.corners);
static_assert(!decltype(repeated<1>(heat{}))::reach.corners);
static_assert(std::is_same_v<decltype(compose(heat{}, compose(upwind{}, heat{}))),
                             decltype(compose(compose(heat{}, upwind{}), heat{}))>);

constexpr auto four = [](auto const& m) {
  auto const u = make<double, field>(m, {64, 64});
  auto const v = stencil(repeated<4>(heat{}), exchange_halo(u));
  static_assert(std::is_same_v<layout_t<decltype(v)>, field>);
  auto const w = stencil(compose(upwind{}, heat{}), exchange_halo_async(v));
  static_assert(std::is_same_v<element_t<decltype(w)>, double>);
};
constexpr auto cost = dry_run(grid{{2, 2}}, four);
static_assert(cost.count(collective::exchange_halo) == 2 && cost.count() == 2);
static_assert(cost.bytes_per_rank() == 2 * (36 * 36 - 32 * 32) * 8);

}  // namespace
