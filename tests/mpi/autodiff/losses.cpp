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
  check_smooth<axes("data", "model")>(
      reals, [](auto const& x) { return softmax<0>(x) * log_softmax<-2>(x); }, operand<layout<none, "data">>{extents});
}

TEST_CASE("softmax over the first dimension: values by its definition") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    double const column[]{1.5, -800, 2, 0.25, 900, 899, -3};
    auto const x = tensor_of<double, layout<none, "data">>(
        m, extents, [&](index_t g, int) { return column[g / extents[1]] / static_cast<double>(1 + g % extents[1]); });
    auto const shares = gather_all(softmax<0>(x)), logs = gather_all(log_softmax<0>(x));
    double largest = 0;
    for (index_t j = 0; j < extents[1]; ++j) {
      double sum = 0, top = 900 / static_cast<double>(1 + j);
      for (double v : column) sum += std::exp(v / static_cast<double>(1 + j) - top);
      for (index_t i = 0; i < extents[0]; ++i) {
        auto const at = static_cast<std::size_t>(i * extents[1] + j);
        double const log = column[i] / static_cast<double>(1 + j) - top - std::log(sum);
        largest = std::max({largest, std::abs(shares[at] - std::exp(log)), std::abs(logs[at] - log)});
      }
    }
    CHECK(largest < 1e-12);
  });
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
