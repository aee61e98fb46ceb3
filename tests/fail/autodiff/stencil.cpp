#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;

// The derivative of a functor that returns one component and reads another one.
namespace of_one_component_that_reads_others {
using grid = mesh<axis<"y">>;
namespace right {
struct second {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::linear;
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 1), u(1, 0)}; }
};
static_assert(dry_run(grid{{2}}, [](auto const& m) {
                (void)value_and_grad<none>([](auto const& u) {
                  return all_reduce(sum(stencil(second{}, exchange_halo(u))));
                })(make<double, layout<halo("y", 1), none>>(m, {8, 2}));
              }).count() == 3);
}  // namespace right
// error: ashlar::stencil: the functor reads any component and returns its own; for a derivative or an update, return an array of all components
namespace wrong {
struct second {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::linear;
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};
static_assert(dry_run(grid{{2}}, [](auto const& m) {
                (void)value_and_grad<none>([](auto const& u) {
                  return all_reduce(sum(stencil(second{}, exchange_halo(u))));
                })(make<double, layout<halo("y", 1), none>>(m, {8, 2}));
              }).count() == 3);
}  // namespace wrong
}  // namespace of_one_component_that_reads_others

// A stencil under differentiation whose functor says neither that it is linear nor what its slope is.
namespace without_a_slope {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
namespace right {
struct average {
  static constexpr auto reach = star(1, 0);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 0.5 * (u(-1, 0) + u(1, 0)); }
};
constexpr auto y = value_and_grad<none>([](auto const& u) {
  return all_reduce(sum(stencil(average{}, exchange_halo(u))));
})(make<double, field>(m, {8, 8}));
}  // namespace right
// error: ashlar::stencil: the functor has no derivative; give it static constexpr linearity kind = linearity::linear, or a member slope<I>(offset, u...)
namespace wrong {
struct average {
  static constexpr auto reach = star(1, 0);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 0.5 * (u(-1, 0) + u(1, 0)); }
};
constexpr auto y = value_and_grad<none>([](auto const& u) {
  return all_reduce(sum(stencil(average{}, exchange_halo(u))));
})(make<double, field>(m, {8, 8}));
}  // namespace wrong
}  // namespace without_a_slope
