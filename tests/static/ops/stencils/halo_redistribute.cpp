// A redistribution to a halo is the plan between the layouts of the owned cells, and an exchange if the halo is filled.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;

template <class From, class To>
constexpr auto counted = [](auto const& m) {
  auto const y = redistribute<To>(make<double, From>(m, {64, 64}));
  static_assert(std::is_same_v<layout_t<decltype(y)>, To>);
};
template <class From, class To>
inline constexpr auto cost = dry_run(grid{{2, 2}}, counted<From, To>);

using columns = layout<none, "y">;
using plain = layout<"y", "x">;
static_assert(cost<columns, fresh<field>>.count(collective::exchange_halo) == 1);
static_assert(cost<columns, fresh<field>>.count() == cost<columns, plain>.count() + 1);
static_assert(cost<columns, fresh<field>>.bytes_per_rank() ==
              cost<columns, plain>.bytes_per_rank() + (33 * 33 - 32 * 32) * 8);
static_assert(cost<columns, field>.count() == cost<columns, plain>.count());
static_assert(cost<columns, fresh<field, corners::skipped>>.count(collective::exchange_halo) == 1);
static_assert(cost<fresh<field>, columns>.bytes_per_rank() == cost<plain, columns>.bytes_per_rank());
static_assert(cost<fresh<field>, plain>.count() == 0);
static_assert(cost<fresh<field>, field>.count() == 0);
static_assert(cost<field, fresh<field>>.count() == 1);
static_assert(cost<fresh<field>, layout<halo("y", 2), "x">>.count() == 0);

}  // namespace
