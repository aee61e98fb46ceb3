// Metrics on every mesh and several layouts against PyTorch's, and losses where they have an end.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/reference.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

template <class F>
void for_each_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) { f(device_mesh<grid>(MPI_COMM_WORLD, sizes)); });
}

}  // namespace

TEST_CASE("probabilities of 0 and 1 are taken for epsilon and 1 - epsilon, and have no slope") {
  for_each_mesh([](device_mesh<grid> const& m) {
    auto const p = tensor_of<double, layout<"data">>(m, shape::of(4), [](index_t g, int) { return g < 2 ? 0. : 1.; });
    auto const t = tensor_of<double, layout<"data">>(m, shape::of(4), [](index_t g, int) { return g % 2 ? 1. : 0.; });
    auto const [value, slope] =
        value_and_grad<"data">([&](auto const& x) { return binary_cross_entropy(x, t, 0.125); })(p);
    double const near = -std::log(0.875), far = -std::log(0.125);
    CHECK(std::abs(item(all_reduce(value)) - (near + far + far + near) / 4) < 1e-15);
    for (double const s : shard(slope)) CHECK(s == 0);
  });
}

namespace {

template <class L, class Labels>
void check_metrics(device_mesh<grid> const& m) {
  auto const logits = recorded_tensor<double, L>(m, "loss_logits");
  auto const labels = recorded_tensor<std::int32_t, Labels>(m, "metric_labels");
  auto const top = elements<std::int64_t>(reference("metric_top"));
  for (index_t k = 1; k <= 7; ++k)
    CHECK(item(all_reduce(top_k_count(logits, labels, k))) ==
          static_cast<double>(top[static_cast<std::size_t>(std::min<index_t>(k, 6) - 1)]));
  CHECK(item(all_reduce(accuracy_count(logits, labels))) == static_cast<double>(top[0]));
  auto const counts = elements<std::int64_t>(reference("metric_confusion"));
  CHECK(denotes(confusion_counts(logits, labels), std::vector<double>(counts.begin(), counts.end())));
}

}  // namespace

TEST_CASE("top-k accuracy and confusion counts are PyTorch's, and are partial like the loss") {
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
  CHECK_THROWS_WITH_AS(top_k_count(logits, labels, 0), "ashlar::nn::top_k_count: k is at least 1", error);
}

TEST_CASE("confusion counts and accuracy: where all logits are -infinity the first is the largest") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  double const low = -HUGE_VAL, nan = std::nan("");
  std::vector<double> const z{low, low, low, low, low, low, low, low, 3, low, nan, low};
  auto const logits = scatter<layout<"data", none>>(m, {4, 3}, z);
  auto const labels = scatter<layout<"data">>(m, {4}, std::vector<std::int32_t>{0, 2, 2, 0});
  CHECK(denotes(confusion_counts(logits, labels), std::vector<double>{1, 0, 0, 0, 0, 0, 1, 0, 1}));
  CHECK(item(all_reduce(accuracy_count(logits, labels))) == 2);
}
