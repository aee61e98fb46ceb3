// The communication of a stencil's backward pass: as many bytes as forward.
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;

struct heat {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  double r = 0.1;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) + r * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};

constexpr auto three_steps = [](auto const& start) {
  auto const a = stencil(heat{}, exchange_halo_async<corners::skipped>(start));
  auto const b = stencil(heat{}, exchange_halo<corners::skipped>(a));
  auto const c = stencil(heat{}, inside(1), exchange_halo_async<corners::skipped>(b));
  return all_reduce(sum(c * c));
};
constexpr auto gradient = [](auto const& m) {
  auto const [value, g] = value_and_grad<none>(three_steps)(make<double, field>(m, {64, 64}));
  static_assert(std::is_same_v<layout_t<decltype(g)>, field>);
};
constexpr auto cost = dry_run(grid{{2, 4}}, gradient);
static_assert(cost.count(collective::exchange_halo) == 3);
static_assert(cost.count(collective::add_halo) == 3);
static_assert(cost.bytes_per_rank(collective::add_halo) == cost.bytes_per_rank(collective::exchange_halo));
static_assert(cost.count(pass::backward, collective::add_halo) == 3);
static_assert(cost.count() == 7);

}  // namespace
