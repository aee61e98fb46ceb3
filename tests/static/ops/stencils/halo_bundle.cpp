// The exchange of several halos is one collective, with the bytes of all.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
using wide = layout<halo("y", 2, boundary::periodic), halo("x", 1)>;
using lines = layout<halo("y", 1), none>;

constexpr auto three = [](auto const& m) {
  auto const u = make<double, field>(m, {64, 64});
  auto const v = make<float, wide>(m, {64, 64});
  auto const w = make<short, lines>(m, {32, 4});
  auto const [a, b, c] = exchange_halo<corners::skipped>(bundle(u, v, w));
  static_assert(std::is_same_v<layout_t<decltype(a)>, fresh<field, corners::skipped>>);
  static_assert(std::is_same_v<layout_t<decltype(b)>, fresh<wide, corners::skipped>>);
  static_assert(std::is_same_v<layout_t<decltype(c)>, fresh<lines, corners::skipped>>);
};
constexpr auto cost = dry_run(grid{{2, 2}}, three);
static_assert(cost.count() == 1);
static_assert(cost.count(collective::exchange_halo) == 1);
static_assert(cost.bytes_per_rank() == (32 + 32) * 8 + (4 * 32 + 32) * 4 + 4 * 2);
static_assert(cost[0].neighbours == 2);
static_assert(dry_run(grid{{1, 1}}, three).count() == 0);

struct sum_of_both {
  static constexpr auto reach = reaches(star(1, 1), box(1, 1));
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const { return u(1, 0) + v(1, 1); }
};
constexpr auto overlapped = [](auto const& m) {
  auto const u = make<double, field>(m, {64, 64});
  auto const v = make<float, wide>(m, {64, 64});
  auto const y = stencil(sum_of_both{}, exchange_halo_async(bundle(u, v)));
  static_assert(std::is_same_v<layout_t<decltype(y)>, field>);
};
constexpr auto cost_of_both = dry_run(grid{{2, 2}}, overlapped);
static_assert(cost_of_both.count() == 1);
static_assert(cost_of_both.bytes_per_rank() == (33 * 33 - 32 * 32) * 8 + (36 * 33 - 32 * 32) * 4);
static_assert(ops_detail::widest_reach<sum_of_both, 2>().upper[1] == 1);

}  // namespace
