// Derivatives of softmax, of losses and of a small network: gradients on all meshes are those of one rank, which are
// difference quotients.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

shape const extents = shape::of(7, 5);

template <class L>
auto labels(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<std::int32_t, L>(m, e, [](index_t g, int) { return static_cast<int>(g * 2 % 5); });
}

}  // namespace

TEST_CASE("softmax and log_softmax") {
  check_smooth<"data">(
      reals, [](auto const& x) { return softmax(x); }, operand<layout<"data", none>>{extents});
  check_smooth<axes("data", "model")>(
      reals, [](auto const& x) { return softmax(x); }, operand<layout<"data", none>>{extents});
  check_smooth<axes("data", "model")>(
      reals, [](auto const& x) { return log_softmax(x); }, operand<layout<none, "model", none>>{shape::of(2, 3, 5)});
}

TEST_CASE("softmax_cross_entropy") {
  check_smooth<"data">(
      reals, [](auto const& z) { return softmax_cross_entropy(z, labels<layout<"data">>(z.mesh(), shape::of(7))); },
      operand<layout<"data", none>>{extents});
  check_smooth<axes("data", "model")>(
      reals,
      [](auto const& z) { return softmax_cross_entropy(z, labels<layout<"data", none>>(z.mesh(), shape::of(3, 2))); },
      operand<layout<"data", none, none>>{shape::of(3, 2, 5)});
  check_smooth<"data">(
      reals,
      [](auto const& z) {
        return softmax_cross_entropy(z, labels<layout<axes("data", "model")>>(z.mesh(), shape::of(7)));
      },
      operand<layout<axes("data", "model"), none>>{extents});
}

TEST_CASE("mean_squared_error") {
  check_smooth<"data">(
      reals, [](auto const& a, auto const& b) { return mean_squared_error(a, b); },
      operand<layout<"data", "model">>{extents}, operand<layout<"data", "model">>{extents});
}

// Two layers, the second of which is split over "model" both ways, behind one that is not, and a bias.
TEST_CASE("a network with a pair of split kernels") {
  auto const network = [](auto const& first, auto const& wide, auto const& narrow, auto const& bias) {
    auto const x = tensor_of<double, layout<"data", none>>(first.mesh(), shape::of(7, 3),
                                                           [](index_t g, int) { return small_number(g, 1) / 3.; });
    auto const h = tanh(einsum<"bi,ij->bj">(x, first));
    auto const wider = square(einsum<"bi,ij->bj">(as_replicated<"model">(h), wide));
    auto const z = all_reduce<"model">(einsum<"bi,ij->bj">(wider, narrow)) + bias + h;
    return softmax_cross_entropy(z, labels<layout<"data">>(z.mesh(), shape::of(7)));
  };
  check_smooth<"data">(reals, network, operand<layout<none, none>>{shape::of(3, 5)},
                       operand<layout<none, "model">>{shape::of(5, 7)}, operand<layout<"model", none>>{shape::of(7, 5)},
                       operand<layout<none>>{shape::of(5)});
}
