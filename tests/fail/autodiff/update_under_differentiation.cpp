// A parameter that a loss updates in place.
// EXPECT: ashlar::assign: a tensor under differentiation is not updated in place
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

constexpr auto loss = [](auto const& parameter) {
#ifdef ASHLAR_CONTROL
  auto const y = parameter + 1.f;
#else
  auto y = parameter;
  y += 1.f;
#endif
  return sum(y);
};
constexpr auto step = [](auto const& m) { (void)value_and_grad<"data">(loss)(make<float, layout<"data">>(m, {8})); };
constexpr auto found = collectives(sizes, step);
