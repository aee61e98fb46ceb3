// The functions that no other static test calls on a tensor with a halo: their results, and what their dry runs count.
// Functions that refuse a halo are in tests/fail/ops.
#include <type_traits>
#include "ashlar/layout.hpp"

using namespace ashlar;
using namespace ashlar::nn;

namespace {

using grid = mesh<axis<"p">>;
using H = layout<halo("p", 1), none>;
using O = layout<"p", none>;

template <class L, class T = double, class M>
constexpr auto field(M const& m) {
  return make<T, L>(m, {8, 8});
}
template <class L, class X>
constexpr bool has = std::is_same_v<layout_t<X>, L>;

constexpr auto local = [](auto const& m) {
  auto u = field<H>(m);
  auto const filled = field<fresh<H>>(m);
  static_assert(has<H, decltype(clamp(u, 0., 1.))>);
  static_assert(has<H, decltype(clamp(filled, 0., 1.))>);
  static_assert(has<partial<layout<>, "p">, decltype(mean_squared_error(u, filled))>);
  static_assert(has<partial<layout<>, "p">, decltype(binary_cross_entropy(u, filled))>);
  static_assert(has<partial<layout<>, "p">, decltype(binary_cross_entropy_from_logits(filled, u))>);
  static_assert(has<partial<layout<>, "p">,
                    decltype(assign_and_reduce(u, u + filled, [](auto const& x) { return sum(x * x); }))>);
  static_assert(has<H, decltype(full<double, H>(m, {8, 8}, 1.))> && has<H, decltype(zeros<double, H>(m, {8, 8}))>);
  static_assert(has<H, decltype(full_like(filled, 1.))> && has<H, decltype(ones_like(u))>);
  static_assert(has<H, decltype(zeros_like(filled))>);
  static_assert(has<halo_sums<H>, decltype(zeros_like(field<halo_sums<H>>(m)))>);
  assign(u, u + filled);
  assign(u, [&](auto const& x) { return x * filled; });
};
static_assert(dry_run(grid{{2}}, local).count() == 0);

// One row of 8 numbers arrives, and from both sides if there are more ranks.
constexpr auto updated = [](auto const& m) { update_halo(field<H>(m)); };
static_assert(dry_run(grid{{2}}, updated).count(collective::exchange_halo) == 1);
static_assert(dry_run(grid{{2}}, updated).bytes_per_rank() == 8 * 8);
static_assert(dry_run(grid{{4}}, updated).bytes_per_rank() == 2 * 8 * 8);

}  // namespace
