// Derivatives of activations, of the losses of distributions and probabilities and of the sum of squares: gradients on all
// meshes are those of one rank, which are difference quotients.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

shape const extents = shape::of(7, 5);

// On a sharded value, on one that is replicated, whose cotangent is partial, and on uneven and empty shards.
template <class F>
void check_function(F const& f) {
  check_smooth<"data">(reals, f, operand<layout<"model", "data">>{extents});
  check_smooth<axes("data", "model")>(reals, f, operand<layout<none, "model">>{extents});
  check_smooth<"data">(reals, f, operand<layout<axes("model", "data"), none>>{shape::of(2, 3)});
}

// In (0, 1).
double probabilities(index_t g, int s, int number) { return 0.5 + integers(g, s, number) / 8; }

}  // namespace

TEST_CASE("activations") {
  check_function([](auto const& x) { return sigmoid(x) + gelu(x) * 2. + leaky_relu(x, 0.25) * 3.; });
  check_function([](auto const& x) { return gelu_tanh(x) - silu(x) * 2.; });
}

TEST_CASE("cross-entropy from distributions, by logits and by distributions") {
  auto const f = [](auto const& z, auto const& t) { return softmax_cross_entropy(z, t); };
  check_smooth<"data">(reals, f, operand<layout<"data", none>>{extents}, operand<layout<"data", none>>{extents});
  check_smooth<axes("data", "model")>(reals, f, operand<layout<"model", "data", none>>{shape::of(3, 2, 5)},
                                      operand<layout<"model", "data", none>>{shape::of(3, 2, 5)});
  check_smooth<"model">(reals, f, operand<layout<axes("model", "data"), none>>{extents},
                        operand<layout<axes("model", "data"), none>>{extents});
}

TEST_CASE("binary cross-entropy") {
  check_smooth<"data">(
      reals, [](auto const& z, auto const& t) { return binary_cross_entropy_from_logits(z, t); },
      operand<layout<"data", "model">>{extents}, operand<layout<"data", "model">>{extents});
  check_smooth<axes("data", "model")>(
      probabilities, [](auto const& p, auto const& t) { return binary_cross_entropy(p, t); },
      operand<layout<"model", "data">>{extents}, operand<layout<"model", "data">>{extents});
}

TEST_CASE("the sum of squares") {
  check_function([](auto const& x) { return sum_of_squares(x); });
  check_smooth<axes("data", "model")>(
      reals, [](auto const& x, auto const& y) { return sum_of_squares(x * y); }, operand<layout<"data", none>>{extents},
      operand<layout<none>>{shape::of(5)});
}
