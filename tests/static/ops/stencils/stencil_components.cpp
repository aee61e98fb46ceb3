// Dry runs of stencils of fields with components.
#include <array>
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1), none>;

// Maxwell's equations in a plane: the components are the magnetic field, and the electric field in y and x.
struct maxwell {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const {
    return std::array<double, 3>{u(0, 1, 1) - u(0, -1, 1) - u(1, 0, 2) + u(-1, 0, 2), u(0, 1, 0) - u(0, -1, 0),
                                 u(-1, 0, 0) - u(1, 0, 0)};
  }
};
struct parts {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const {
    return several(std::array<double, 3>{u(0, 1, 1), u(1, 0, 2), u(0, 0, 0)},
                   std::array<float, 3>{static_cast<float>(u(0, 0, 2)), 0, 0});
  }
};
struct average {  // each component alike
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)) / 4; }
};

constexpr auto step = [](auto const& m) {
  auto const u = make<double, field>(m, {64, 64, 3});
  auto const a = stencil(maxwell{}, exchange_halo_async<corners::skipped>(u));
  static_assert(std::is_same_v<layout_t<decltype(a)>, field>);
  static_assert(std::is_same_v<element_t<decltype(a)>, double>);
  auto const [b, c] = stencil(parts{}, exchange_halo(a));
  static_assert(std::is_same_v<element_t<decltype(b)>, double> && std::is_same_v<element_t<decltype(c)>, float>);
  static_assert(std::is_same_v<layout_t<decltype(c)>, field>);
  (void)stencil(average{}, inside(1), exchange_halo(b));
};
constexpr auto cost = dry_run(grid{{2, 2}}, step);
static_assert(cost.count() == 3);
static_assert(cost.bytes_per_rank() == ((32 + 32) + 2 * (32 + 32 + 1)) * 3 * 8);

static_assert(ops_detail::cell_dimensions<maxwell, 3> == 2 && ops_detail::cell_dimensions<maxwell, 2> == 2);
static_assert(ops_detail::components_of<std::array<float, 3>>::count == 3);
static_assert(ops_detail::components_of<double>::count == 0);

}  // namespace
