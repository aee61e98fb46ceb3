// Derivatives of nonlinear elementwise operations: gradients on all meshes are those of one rank, which are difference
// quotients.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

shape const extents = shape::of(7, 5);

// On a sharded value, and on one that is replicated, whose cotangent is partial.
template <class F>
void check_function(element_function element, F const& f) {
  check_smooth<"data">(element, f, operand<layout<"model", "data">>{extents});
  check_smooth<axes("data", "model")>(element, f, operand<layout<none, "model">>{extents});
}

}  // namespace

TEST_CASE("functions of one operand") {
  check_function(reals, [](auto const& x) { return square(relu(x)) + abs(x) * 3. + tanh(x - 0.5); });
  check_function(positive_reals, [](auto const& x) { return exp(-x) + log(x + 1.) * sqrt(x) / 4.; });
}

TEST_CASE("powers, trigonometric functions, limits, and numbers on the left") {
  check_function(reals, [](auto const& x) { return sin(x) + cos(2. * x) + clamp(x, -0.9, 1.1); });
  check_function(positive_reals,
                 [](auto const& x) { return pow(x + 1., 1.5) + 1. / (1. + x) + (1. - x) * tan(x / 9.); });
  check_function(reals, [](auto const& x) { return maximum(x, 0.37) * minimum(-0.21, x) + maximum(-0.4, x); });
  check_smooth<"data">(
      positive_reals, [](auto const& y, auto const& x) { return atan2(y - 1., x + 1.); },
      operand<layout<none, "data">>{extents}, operand<layout<none, "data">>{extents});
}

TEST_CASE("functions of two operands, with broadcasting") {
  check_smooth<axes("data", "model")>(
      positive_reals, [](auto const& a, auto const& b) { return a / b; }, operand<layout<"model", "data">>{extents},
      operand<layout<"data">>{shape::of(5)});
  check_smooth<"data">(
      reals, [](auto const& a, auto const& b) { return maximum(a, b) * minimum(a, b + 0.1); },
      operand<layout<none, "data">>{extents}, operand<layout<none, "data">>{shape::of(1, 5)});
  check_smooth<axes("data", "model")>(
      reals, [](auto const& a, auto const& b) { return maximum(a, b) - square(b); },
      operand<layout<"data", none>>{shape::of(7, 1)}, operand<layout<"data", none>>{extents});
}
