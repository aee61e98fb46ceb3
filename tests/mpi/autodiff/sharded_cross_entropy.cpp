// Cross-entropy over classes that are sharded: the loss and the gradient of softmax_cross_entropy on whole rows.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

template <class L>
auto labels(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<std::int32_t, L>(m, e, [](index_t g, int) { return static_cast<int>(g * 2 % 5); });
}

// The same function of logits of layout L by both operations, through one of the ways that messages take.
template <class Whole, class Rows, class Transport, class L>
void check_value(operand<L> const& logits, shape const& rows) {
  [[maybe_unused]] Transport const transport;
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    // Logits so large that their exponentials overflow.
    auto const z = tensor_of<double, L>(m, logits.extents, [](index_t g, int) { return 1000. * small_number(g, 0); });
    auto const y = labels<Rows>(m, rows);
    double const whole = item(all_reduce(softmax_cross_entropy(redistribute<Whole>(z), y)));
    CHECK(std::abs(item(all_reduce(sharded_cross_entropy(z, y))) - whole) <= 1e-12 * std::abs(whole));
  });
}

struct any_transport {};
template <dimension Replicated, class Whole, class Rows, class L>
void check_loss(operand<L> const& logits, shape const& rows) {
  check_smooth<Replicated>(
      reals, [=](auto const& z) { return sharded_cross_entropy(z, labels<Rows>(z.mesh(), rows)); }, logits);
  check_value<Whole, Rows, any_transport>(logits, rows);
  check_value<Whole, Rows, messages_of_mpi>(logits, rows);
  check_value<Whole, Rows, collectives_of_mpi>(logits, rows);
  check_value<Whole, Rows, operands_in_place>(logits, rows);
}

}  // namespace

TEST_CASE("sharded_cross_entropy") {
  check_loss<"data", layout<"data", none>, layout<"data">>(operand<layout<"data", "model">>{shape::of(7, 5)},
                                                           shape::of(7));
  check_loss<"data", layout<none, none>, layout<none>>(operand<layout<none, axes("model", "data")>>{shape::of(3, 5)},
                                                       shape::of(3));
  check_loss<"data", layout<axes("data", "model"), none>, layout<axes("data", "model")>>(
      operand<layout<axes("data", "model"), none>>{shape::of(7, 5)}, shape::of(7));
  check_loss<"data", layout<none, "data", none>, layout<none, "data">>(
      operand<layout<none, "data", "model">>{shape::of(2, 3, 6)}, shape::of(2, 3));
}

TEST_CASE("sharded_cross_entropy: what is no class, and logits of nothing") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const loss = [&](auto element, int label) {
      auto const z = tensor_of<float, layout<"data", "model">>(m, shape::of(3, 6), element);
      return item(all_reduce(sharded_cross_entropy(
          z, tensor_of<std::int64_t, layout<"data">>(m, shape::of(3), [=](index_t, int) { return label; }))));
    };
    auto const ones = [](index_t, int) { return 1; };
    CHECK(std::abs(loss(ones, 4) - std::log(6.f)) <= 1e-6f);
    CHECK(std::isnan(loss(ones, -1)));
    // Only the last class is possible: ranks that do not have it have nothing.
    auto const last = [](index_t g, int) { return g % 6 == 5 ? 2. : -std::numeric_limits<double>::infinity(); };
    CHECK(loss(last, 5) == 0);
    CHECK(loss(last, 0) == std::numeric_limits<float>::infinity());
    CHECK(std::isnan(loss([](index_t g, int) { return g == 7 ? std::numeric_limits<double>::quiet_NaN() : 1.; }, 2)));
  });
}
