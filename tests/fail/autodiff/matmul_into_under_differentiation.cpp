// A loss adds a product with a parameter to a tensor in place.
// EXPECT: ashlar::assign: a tensor under differentiation is not updated in place
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

constexpr auto loss = [](auto const& parameter) {
#ifdef ASHLAR_CONTROL
  return sum(matmul<layout<>>(parameter, parameter));
#else
  auto y = stop_gradient(sum(parameter * parameter));
  matmul_into(y, 1.f, parameter, parameter);
  return sum(parameter);
#endif
};
constexpr auto step = [](auto const& m) { (void)value_and_grad<"data">(loss)(make<float, layout<"data">>(m, {8})); };
constexpr auto found = collectives(sizes, step);
