// Activations, losses and metrics, on every mesh and several layouts, against PyTorch's values and derivatives.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/train/feed.hpp"
#include "support/reference.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

template <class F>
void for_each_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) { f(device_mesh<grid>(MPI_COMM_WORLD, sizes)); });
}

// <f(x), cotangent> has the reference's slope.
template <class L, class F>
void check_activation(device_mesh<grid> const& m, std::string const& name, F const& f) {
  CAPTURE(name);
  auto const x = reference_tensor<double, L>(m, "activation_x");
  auto const cotangent = reference_tensor<double, L>(m, "activation_cotangent");
  CHECK(distance_from(f(x), name + "_y") < 1e-13);
  auto const [value, slope] = value_and_grad<axes("data", "model")>([&](auto const& y) { return sum(f(y) * cotangent); })(x);
  CHECK(distance_from(all_reduce(slope), name + "_slope") < 1e-13);
}

template <class L>
void check_activations(device_mesh<grid> const& m) {
  check_activation<L>(m, "sigmoid", [](auto const& x) { return sigmoid(x); });
  check_activation<L>(m, "gelu", [](auto const& x) { return gelu(x); });
  check_activation<L>(m, "gelu_tanh", [](auto const& x) { return gelu_tanh(x); });
  check_activation<L>(m, "silu", [](auto const& x) { return silu(x); });
  check_activation<L>(m, "leaky_relu", [](auto const& x) { return leaky_relu(x, 0.2); });
}

template <class L, class F>
void check_loss(device_mesh<grid> const& m, std::string const& name, char const* first, char const* second, F const& f) {
  CAPTURE(name);
  auto const both = std::tuple(reference_tensor<double, L>(m, first), reference_tensor<double, L>(m, second));
  auto const [value, slopes] = value_and_grad<axes("data", "model")>([&](auto const& x) { return f(std::get<0>(x), std::get<1>(x)); })(both);
  CHECK(distance_from(all_reduce(value), name + "_value") < 1e-12);
  CHECK(distance_from(all_reduce(std::get<0>(slopes)), name + "_slope") < 1e-12);
  CHECK(distance_from(all_reduce(std::get<1>(slopes)), name + "_target_slope") < 1e-12);
}

auto const cross_entropy = [](auto const& z, auto const& t) { return softmax_cross_entropy(z, t); };
auto const from_logits = [](auto const& z, auto const& t) { return binary_cross_entropy_from_logits(z, t); };
auto const from_probabilities = [](auto const& p, auto const& t) { return binary_cross_entropy(p, t); };

template <class L>
void check_binary(device_mesh<grid> const& m) {
  check_loss<L>(m, "bce_logits", "loss_logits", "loss_targets", from_logits);
  check_loss<L>(m, "bce", "loss_probabilities", "loss_targets", from_probabilities);
}

}  // namespace

TEST_CASE("activations are PyTorch's") {
  for_each_mesh([](device_mesh<grid> const& m) {
    check_activations<layout<"model", "data">>(m);
    check_activations<layout<axes("data", "model"), none>>(m);
  });
}

// Where an operand is replicated over an axis, the loss would be too, so it is summed over an axis that shards it.
TEST_CASE("cross-entropy from distributions, and of probabilities and of logits, is PyTorch's") {
  for_each_mesh([](device_mesh<grid> const& m) {
    check_loss<layout<axes("data", "model"), none>>(m, "cross_entropy", "loss_logits", "loss_distribution", cross_entropy);
    check_loss<layout<axes("model", "data"), none>>(m, "cross_entropy", "loss_logits", "loss_distribution", cross_entropy);
    check_binary<layout<"model", "data">>(m);
    check_binary<layout<none, axes("data", "model")>>(m);
  });
}

TEST_CASE("replicated over an axis, losses are invariant there") {
  for_each_mesh([](device_mesh<grid> const& m) {
    auto const z = reference_tensor<double, layout<"model", none>>(m, "loss_logits");
    auto const t = reference_tensor<double, layout<"model", none>>(m, "loss_distribution");
    auto const [value, slope] = value_and_grad<"model">([&](auto const& x) { return softmax_cross_entropy(x, t); })(z);
    CHECK(distance_from(all_reduce<"model">(value), "cross_entropy_value") < 1e-12);
    CHECK(distance_from(slope, "cross_entropy_slope") < 1e-12);
    auto const whole = reference_tensor<double, layout<none, none>>(m, "loss_logits");
    CHECK(distance_from(softmax_cross_entropy(whole, reference_tensor<double, layout<none, none>>(m, "loss_distribution")), "cross_entropy_value") < 1e-12);
  });
}

TEST_CASE("probabilities of 0 and 1 are taken for epsilon and 1 - epsilon, and have no slope") {
  for_each_mesh([](device_mesh<grid> const& m) {
    auto const p = tensor_of<double, layout<"data">>(m, shape::of(4), [](index_t g, int) { return g < 2 ? 0. : 1.; });
    auto const t = tensor_of<double, layout<"data">>(m, shape::of(4), [](index_t g, int) { return g % 2 ? 1. : 0.; });
    auto const [value, slope] = value_and_grad<"data">([&](auto const& x) { return binary_cross_entropy(x, t, 0.125); })(p);
    double const near = -std::log(0.875), far = -std::log(0.125);
    CHECK(std::abs(item(all_reduce(value)) - (near + far + far + near) / 4) < 1e-15);
    for (double const s : shard(slope)) CHECK(s == 0);
  });
}

namespace {

template <class L, class Labels>
void check_metrics(device_mesh<grid> const& m) {
  auto const logits = reference_tensor<double, L>(m, "loss_logits");
  auto const labels = reference_tensor<std::int32_t, Labels>(m, "metric_labels");
  auto const top = elements<std::int64_t>(reference("metric_top"));
  for (index_t k = 1; k <= 7; ++k)
    CHECK(item(all_reduce(top_k_count(logits, labels, k))) == static_cast<double>(top[static_cast<std::size_t>(std::min<index_t>(k, 6) - 1)]));
  CHECK(item(all_reduce(accuracy_count(logits, labels))) == static_cast<double>(top[0]));
  auto const counts = elements<std::int64_t>(reference("metric_confusion"));
  CHECK(denotes(confusion_counts(logits, labels), std::vector<double>(counts.begin(), counts.end())));
}

}  // namespace

TEST_CASE("top-k accuracy and confusion counts are PyTorch's, and pend like the loss") {
  for_each_mesh([](device_mesh<grid> const& m) {
    check_metrics<layout<none, none>, layout<none>>(m);
    check_metrics<layout<"data", none>, layout<"data">>(m);
    check_metrics<layout<axes("model", "data"), none>, layout<axes("model", "data")>>(m);
  });
  using counts = decltype(confusion_counts(std::declval<sharded_tensor<float, layout<"data", none>, grid>>(),
                                           std::declval<sharded_tensor<std::int32_t, layout<"data">, grid>>()));
  CHECK(std::is_same_v<layout_t<counts>, partial<layout<none, none>, "data">>);
}

TEST_CASE("confusion counts and top-k: ties go to the first, NaN and labels of no class count nowhere") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  double const nan = std::nan("");
  std::vector<double> const z{1, 1, 0, 0, 2, 2, nan, 5, 1, 3, 1, 2, 0, 0, 0};
  std::vector<std::int32_t> const l{1, 1, 1, 7, 2};
  auto const logits = scatter<layout<"data", none>>(m, {5, 3}, z);
  auto const labels = scatter<layout<"data">>(m, {5}, l);
  CHECK(denotes(confusion_counts(logits, labels), std::vector<double>{0, 0, 0, 1, 1, 0, 1, 0, 0}));
  CHECK(item(all_reduce(top_k_count(logits, labels, 1))) == 1);
  CHECK(item(all_reduce(top_k_count(logits, labels, 2))) == 3);
  CHECK_THROWS_WITH_AS(top_k_count(logits, labels, 0), "ashlar::top_k_count: k is at least 1", error);
}
