// A parameter that a loss updates in place, with a sum.
// EXPECT: ashlar::assign: a tensor under differentiation is not updated in place
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

constexpr auto loss = [](auto const& parameter) {
#ifdef ASHLAR_CONTROL
  return sum(parameter * parameter);
#else
  auto y = parameter;
  return assign_and_reduce(y, 2.f * y, [](auto const& x) { return sum(x * x); });
#endif
};
constexpr auto step = [](auto const& m) { (void)value_and_grad<"data">(loss)(make<float, layout<"data">>(m, {8})); };
constexpr auto counted = collectives(sizes, step);
