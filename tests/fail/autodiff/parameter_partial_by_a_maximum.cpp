// A parameter that is partial by a maximum: the rank on whose term it depends is not known.
// EXPECT: ashlar::value_and_grad: a parameter is partial by a reduction other than a sum
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
using held = partial<layout<none>, "model">;
#else
using held = partial<layout<none>, "model", op::max>;
#endif
constexpr int differentiate() {
  auto w = make<float, held>(m, {8});
  (void)value_and_grad<"model">([](auto const& p) { return sum(square(all_reduce<"model">(p))); })(w);
  return 0;
}
constexpr int r = differentiate();
