// Reaches of several operands, and dry runs of stencils with several results.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

constexpr auto two = reaches(centre, star(1, 2));
static_assert(two.rank == 2 && two.lower[0] == 0 && two.of[1].upper[1] == 2);
static_assert(!two.corners && reaches(box(1, 1), centre).corners);

struct waves {
  static constexpr auto reach = reaches(star(1, 1), star(1, 0), star(0, 1));
  constexpr auto operator()(auto const& h, auto const& p, auto const& q) const {
    return several(h(0, 0) + p(1, 0) - q(0, 1), p(0, 0) - h(1, 0), static_cast<float>(q(0, 0) - h(0, 1)));
  }
};
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
using lines = layout<halo("y", 1), "x">;  // p is read along y alone
constexpr auto step = [](auto const& m) {
  auto const h = make<double, field>(m, {64, 64});
  auto const p = make<double, lines>(m, {64, 64});
  auto const [a, b] = exchange_halo<corners::skipped>(bundle(h, p));
  auto const [x, y, z] = stencil(waves{}, a, b, a);
  static_assert(std::is_same_v<layout_t<decltype(y)>, field>);
  static_assert(std::is_same_v<element_t<decltype(z)>, float>);
};
static_assert(dry_run(grid{{2, 2}}, step).count() == 1);
static_assert(dry_run(grid{{2, 2}}, step).bytes_per_rank() == (32 + 32) * 8 + 32 * 8);

}  // namespace
