// Products added in place, in the dry run: matmul has the same collectives.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;

// [update]
constexpr auto product = [](auto const& m) {
  auto const a = make<double, blocks>(m, {2048, 2048});
  auto c = make<double, blocks>(m, {2048, 2048});
  matmul_into(c, -1., a, a);  // c -= a a
};
// [update]
static_assert(dry_run(grid{{2, 2}}, product).count() == 2);
static_assert(dry_run(grid{{2, 2}}, product).count(collective::all_gather, "q") == 1);
static_assert(dry_run(grid{{2, 2}}, product).bytes_per_rank() == 2 * 2048 * 1024 / 2 * 8);

constexpr auto local = [](auto const& m) {
  auto const a = make<double, layout<"p", none>>(m, {2048, 64});
  auto c = make<double, layout<"p", none>>(m, {2048, 64});
  matmul_into(c, 2., a, make<double, layout<none, none>>(m, {64, 64}));
};
static_assert(dry_run(grid{{2, 2}}, local).count() == 0);

// The terms are split over the ranks, so their sums are reduced before they are added.
constexpr auto gram = [](auto const& m) {
  auto const x = make<double, layout<axes("p", "q"), none>>(m, {1 << 20, 64});
  auto c = make<double, layout<none, none>>(m, {64, 64});
  matmul_into(c, 1., transpose<1, 0>(x), x);
};
static_assert(dry_run(grid{{2, 2}}, gram).count() == 1);
static_assert(dry_run(grid{{2, 2}}, gram).count(collective::all_reduce) == 1);

}  // namespace
