// A function that runs again, and uses a parameter that it is not given: its cotangent would be lost.
// EXPECT: ashlar::remat: the function uses a value under differentiation that is none of its arguments
#include "ashlar/autodiff/remat.hpp"
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

constexpr auto program = [](auto const& m) {
  auto const w = make<float, layout<none, none>>(m, {4, 4});
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)value_and_grad<"data">([&](auto const& p) {
    auto h = einsum<"bi,ih->bh">(x, p);
#ifdef ASHLAR_CONTROL
    return sum(remat([](auto const& v, auto const& y) { return einsum<"bi,ih->bh">(y, v); })(p, h));
#else
    return sum(remat([&](auto const& y) { return einsum<"bi,ih->bh">(y, p); })(h));
#endif
  })(w);
};
constexpr auto log = collectives(grid{{2}}, program);
