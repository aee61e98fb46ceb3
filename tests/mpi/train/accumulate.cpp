// Microbatches whose gradients are summed before they are reduced; gradients that are clipped.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/metrics.hpp"
#include "support/dense.hpp"
#include "support/network.hpp"
#include <doctest/doctest.h>
#include <cmath>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

constexpr index_t examples = 13;
constexpr index_t cut[]{0, 4, 8, 12, 13};  // unequal microbatches, of which the last has one example

// The mean over examples [begin, end), weighed by their share of all, and the gradients, which are partial over "data".
template <class P>
auto gradients_of(device_mesh<grid> const& m, P const& p, index_t begin, index_t end) {
  index_t const n = end - begin;
  auto const x = tensor_of<double, layout<"data", none>>(
      m, shape::of(n, inputs), [&](index_t g, int) { return small_number(begin * inputs + g, 1) / 4.; });
  auto const labels = tensor_of<std::int32_t, layout<"data">>(
      m, shape::of(n), [&](index_t g, int) { return static_cast<int>((begin + g) * 3 % classes); });
  auto const share = static_cast<double>(n) / examples;
  return value_and_grad<"data">([&](auto const& q) {
    auto z = all_reduce(einsum<"bh,ho->bo">(relu(einsum<"bi,ih->bh">(x, q["d1"_n].kernel)), q["d2"_n].kernel)) +
             q["d2"_n].bias;
    return build<with_aux>(
        softmax_cross_entropy(z, labels) * share,
        std::tuple(accuracy_count(stop_gradient(z), labels), confusion_counts(stop_gradient(z), labels)));
  })(p);
}

template <class Strategy>
void check(device_mesh<grid> const& m) {
  auto const p = init<Strategy, double>(m, test::network, prng_key{3});
  auto const parts = accumulate(4, [&](index_t i) { return gradients_of(m, p, cut[i], cut[i + 1]); });
  auto const whole = gradients_of(m, p, 0, examples);
  auto const collectives = m.collectives_run();
  auto const [value, aux, found] = all_reduce<"data">(bundle(parts.value, parts.aux, parts.gradients));
  CHECK(m.collectives_run() - collectives == (m.sizes().size[0] > 1 ? 1 : 0));
  auto const [expected_value, expected_aux, expected] =
      all_reduce<"data">(bundle(whole.value, whole.aux, whole.gradients));
  CHECK(std::abs(item(value) - item(expected_value)) < 1e-13);
  CHECK(item(std::get<0>(aux)) == item(std::get<0>(expected_aux)));
  CHECK(gather_all(std::get<1>(aux)) == gather_all(std::get<1>(expected_aux)));
  double hits = 0, rows = 0;
  auto const confusion = gather_all(std::get<1>(aux));
  for (index_t i = 0; i < classes * classes; ++i) {
    rows += confusion[static_cast<std::size_t>(i)];
    if (i % (classes + 1) == 0) hits += confusion[static_cast<std::size_t>(i)];
  }
  CHECK(rows == examples);
  CHECK(hits == item(std::get<0>(aux)));
  for_each_leaf(
      [](auto const& a, auto const& b) {
        auto const x = gather_all(a), y = gather_all(b);
        REQUIRE(x.size() == y.size());
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(x[i] - y[i]) < 1e-13);
      },
      found, expected);
}

}  // namespace

TEST_CASE("microbatches together have the gradients of the batch, and one message") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    check<model_sharded>(m);
    check<mirrored>(m);
  });
}

TEST_CASE("two gradients that share a tensor are summed apart") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x =
      tensor_of<double, layout<"data">>(m, shape::of(9), [](index_t g, int) { return static_cast<double>(g + 1); });
  auto const sum_of_both = accumulate(3, [&](index_t) { return std::tuple(x, x); });
  for (double const s : shard(std::get<0>(sum_of_both))) CHECK(std::fmod(s, 3) == 0);
  CHECK(shard(std::get<0>(sum_of_both)) == shard(x * 3.));
  CHECK(shard(std::get<1>(sum_of_both)) == shard(x * 3.));
  CHECK_THROWS_WITH_AS(accumulate(0, [&](index_t) { return std::tuple(x); }),
                       "ashlar::training::accumulate: it takes 1 microbatch or more", error);
}

namespace {

// A gradient of 13 x 5 whose norm is 2 in element g = 7 alone, on every mesh and layout.
template <class L>
auto spike(device_mesh<grid> const& m, double value) {
  return std::tuple(tensor_of<double, L>(m, shape::of(13, 5), [=](index_t g, int) { return g == 7 ? value : 0.; }));
}
template <class L>
void check_spike(device_mesh<grid> const& m, double value, double largest, double expected) {
  auto const [g, norm] = clip_by_global_norm(spike<L>(m, value), largest);
  CHECK(item(norm) == std::abs(value));
  CHECK(shard(std::get<0>(g)) == shard(std::get<0>(spike<L>(m, expected))));
}
template <class L>
void check_spikes(device_mesh<grid> const& m) {
  check_spike<L>(m, 2, 0.5, 0.5);  // scaled down
  check_spike<L>(m, -2, 0.5, -0.5);
  check_spike<L>(m, 2, 4, 2);  // as it was
  check_spike<L>(m, 2, 2, 2);
  check_spike<L>(m, 0, 1, 0);  // no division by zero
  double const nan = std::nan("");
  auto const [g, norm] = clip_by_global_norm(spike<L>(m, nan), 1);
  CHECK(std::isnan(item(norm)));
  for (double const x : shard(std::get<0>(g))) CHECK(std::isnan(x));
}

}  // namespace

TEST_CASE("clipping counts each element once, whoever holds it, and hides no NaN") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    check_spikes<layout<none, none>>(m);
    check_spikes<layout<"data", none>>(m);
    check_spikes<layout<"model", "data">>(m);
    check_spikes<layout<none, axes("model", "data")>>(m);
  });
}

TEST_CASE("running_mean weighs batches by their examples") {
  running_mean m;
  CHECK(m.value() == 0);
  m.add(2, 3);
  m.add_sum(10, 1);
  CHECK(m.value() == 4);
  CHECK(m.examples() == 4);
  m.reset();
  CHECK(m.value() == 0);
}
