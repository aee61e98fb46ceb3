// Extents in types: operations carry them as long as types alone say what they are.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"data", 2>, axis<"model", 4>>;
using open_grid = mesh<axis<"data">, axis<"model">>;

template <class X, index_t... N>
constexpr bool has_extents = static_shape<X> && std::is_same_v<typename X::static_extents_type, static_extents<N...>>;

constexpr bool carried_by_operations() {
  auto const x = make<float, layout<"data", none>>(grid{}, static_extents<128, 784>{});
  auto const w = make<float, layout<none, "model">>(grid{}, static_extents<784, 200>{});
  auto const b = make<float, layout<"model">>(grid{}, static_extents<200>{});
  static_assert(has_extents<decltype(x), 128, 784> && std::is_same_v<layout_t<decltype(x)>, layout<"data", none>>);
  auto const y = relu(einsum<"bi,ih->bh">(x, w) + b) * 2.f;
  static_assert(has_extents<decltype(y), 128, 200>);
  auto const whole = all_gather<"model">(y);
  static_assert(has_extents<decltype(whole), 128, 200>);
  static_assert(has_extents<decltype(redistribute<layout<none, "data">>(whole)), 128, 200>);
  static_assert(has_extents<decltype(flatten<0, 1>(whole)), 128 * 200>);
  static_assert(has_extents<decltype(sum<0>(whole)), 200>);
  static_assert(has_extents<decltype(log_softmax(whole)), 128, 200>);
  return y.extents() == shape::of(128, 200) && whole.extents() == shape::of(128, 200);
}
static_assert(carried_by_operations());

constexpr bool run_time_extents_join() {
  auto const x = make<float, layout<"data", none>>(grid{}, static_extents<6, 4>{});
  auto const y = make<float, layout<"data", none>>(grid{}, {6, 4});
  static_assert(!static_shape<decltype(y)> && !static_shape<decltype(x + y)>);
  static_assert(!static_shape<decltype(unflatten<1>(x, {2, 2}))>);
  static_assert(has_extents<decltype(fix_extents<6, 4>(x + y)), 6, 4>);
  return (x + y).extents() == shape::of(6, 4);
}
static_assert(run_time_extents_join());

template <class L, class Mesh, index_t... N>
constexpr bool even = plan_detail::is_even_v<with_extents<abstract_tensor<float, L, Mesh>, static_extents<N...>>>;
static_assert(even<layout<"data", "model">, grid, 6, 8> && even<layout<axes("data", "model")>, grid, 16> &&
              even<layout<none>, grid, 7>);
static_assert(!even<layout<"data", "model">, grid, 6, 9> && !even<layout<axes("data", "model")>, grid, 12>);
static_assert(!even<layout<"data">, open_grid, 6> && even<layout<none>, open_grid, 6>);
static_assert(!plan_detail::is_even_v<abstract_tensor<float, layout<none>, grid>>);

constexpr bool ledger_is_the_same() {
  auto const program = [](auto const& m) {
    auto const x = make<float, layout<"data", none>>(m, static_extents<8, 4>{});
    (void)all_gather<"data">(x);
  };
  return dry_run(grid{}, program).count(collective::all_gather) == 1;
}
static_assert(ledger_is_the_same());

}  // namespace
