// A cotangent that is sharded otherwise than the function's value.
// EXPECT: ashlar::vjp: the cotangent has another layout than the dual of the function's value
#include "ashlar/autodiff/vjp.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

#ifdef ASHLAR_CONTROL
using cotangent = layout<"data", none>;
#else
using cotangent = layout<none, none>;
#endif
constexpr auto program = [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)vjp<"data">([](auto const& y) { return square(y); })(make<float, cotangent>(m, {8, 4}), x);
};
constexpr auto log = collectives(grid{{2}}, program);
