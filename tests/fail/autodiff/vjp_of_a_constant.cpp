// The derivative of a function that does not use its argument.
// EXPECT: ashlar::vjp: the function's value depends on none of its arguments
#include "ashlar/autodiff/vjp.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

constexpr auto program = [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
#ifdef ASHLAR_CONTROL
  (void)vjp<"data">([](auto const& y) { return square(y); })(x, x);
#else
  (void)vjp<"data">([&](auto const&) { return square(x); })(x, x);
#endif
};
constexpr auto log = collectives(grid{{2}}, program);
