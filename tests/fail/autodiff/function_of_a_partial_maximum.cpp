// A function of a maximum that is still partial: its derivative at the maximum is known on no rank alone.
// EXPECT: ashlar::elementwise: the function does not commute with the operand's reduction over the axis
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, "model">>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}

#ifdef ASHLAR_CONTROL
constexpr int r = differentiate([](auto const& w) {
  return sum(all_gather<"data", invariant>(redistribute<layout<"data">>(exp(all_reduce<"model">(max<1>(w))))));
});
#else
constexpr int r = differentiate([](auto const& w) {
  return sum(all_gather<"data", invariant>(redistribute<layout<"data">>(all_reduce<"model">(exp(max<1>(w))))));
});
#endif
