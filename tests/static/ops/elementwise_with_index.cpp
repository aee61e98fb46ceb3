// Dry runs of functions of elements that take the global index.
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;
struct weighted {
  static constexpr linearity kind = linearity::linear;
  constexpr double operator()(cell_index<2> const& at, double x) const { return static_cast<double>(at[0]) * x; }
  template <int I, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const&) const {
    return elementwise(weighted{}, ct);
  }
};
constexpr auto step = [](auto const& m) {
  auto const x = make<double, layout<"y", none>>(m, {8, 6});
  auto const y =
      elementwise([](cell_index<2> const& at, double v) { return static_cast<float>(v + double(at[1])); }, x);
  static_assert(std::is_same_v<element_t<decltype(y)>, float> &&
                std::is_same_v<layout_t<decltype(y)>, layout<"y", none>>);
  auto const column = make<double, layout<none>>(m, {6});
  auto const z =
      elementwise([](cell_index<2> const& at, double a, double b) { return at[0] == at[1] && a < b; }, column, x);
  static_assert(std::is_same_v<element_t<decltype(z)>, bool>);
  auto const p = elementwise(weighted{}, as_partial<"x">(x));
  static_assert(std::is_same_v<layout_t<decltype(p)>, partial<layout<"y", none>, "x">>);
  auto const [value, g] =
      value_and_grad<none>([](auto const& u) { return all_reduce(sum(elementwise(weighted{}, u))); })(x);
  static_assert(std::is_same_v<layout_t<decltype(g)>, layout<"y", none>>);
};
static_assert(dry_run(grid{{2, 2}}, step).count() == 1);

}  // namespace
