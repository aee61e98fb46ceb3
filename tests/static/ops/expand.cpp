// Layouts of expand: those of the second tensor, without communication.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

template <class L>
constexpr auto rows_without_their_mean(grid const& m) {
  return dry_run(m, [](auto const& handle) {
    auto const x = make<float, L>(handle, {8, 6});
    auto const y = x - expand<1>(all_reduce(mean<1>(x)), x);
    static_assert(std::is_same_v<layout_t<decltype(y)>, L>);
    auto const z = x - expand<0>(all_reduce(mean<0>(x)), x);
    static_assert(std::is_same_v<layout_t<decltype(z)>, L>);
  });
}
static_assert(rows_without_their_mean<layout<"data", "model">>(grid{{2, 4}}).count() == 2);
static_assert(rows_without_their_mean<layout<"data", none>>(grid{{2, 4}}).count() == 1);
static_assert(rows_without_their_mean<layout<none, none>>(grid{{2, 4}}).count() == 0);

// A partial operand stays partial.
template <class M>
using expanded = decltype(expand<0, 2>(make<float, partial<layout<"data">, "model">>(std::declval<M>(), {6}),
                                       make<float, layout<none, "data", none>>(std::declval<M>(), {4, 6, 2})));
static_assert(std::is_same_v<layout_t<expanded<grid>>, partial<layout<none, "data", none>, "model">>);

// The derivative of a factor of each row is a sum over the axis that shards the row.
constexpr auto scaled = [](auto const& m) {
  auto const x = make<float, layout<"data", "model">>(m, {8, 6});
  auto const s = make<float, layout<"data">>(m, {8});
  auto const [value, gradient] =
      value_and_grad<"model">([&](auto const& factors) { return sum(x * expand<1>(factors, x)); })(s);
  static_assert(std::is_same_v<layout_t<decltype(gradient)>, partial<layout<"data">, "model">>);
  (void)value;
};
static_assert(dry_run(grid{{2, 4}}, scaled).count() == 0);
