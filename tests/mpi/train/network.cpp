// A step of a network on ranks: the numbers of a step written by hand, bit by bit.
#include "ashlar/blas.hpp"
#include "ashlar/train/trainer.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d1/bias", layout<"model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
constexpr auto net = sequential<12>(dense<"d1", 6>(relu()), dropout(0.25), dense<"d2", 3>());

struct class_of_row {
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const { return static_cast<std::int32_t>(i * i % 3); }
};
device_mesh<grid> mesh_of_ranks() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks % 2 == 0 ? device_mesh<grid>(MPI_COMM_WORLD, {ranks / 2, 2})
                        : device_mesh<grid>(MPI_COMM_WORLD, {ranks, 1});
}

template <class S>
void compare_with_a_step_by_hand(double rate_of_dropout) {
  auto const m = mesh_of_ranks();
  auto const x = normal<double, layout<"data", none>>(m, {10, 12}, prng_key{5});
  auto const labels = generate<std::int32_t, layout<"data">>(m, {10}, class_of_row{});
  constexpr adam optimizer{.rate = 0.1};

  auto const layers = sequential<12>(dense<"d1", 6>(relu()), dropout(rate_of_dropout), dense<"d2", 3>());
  auto const one = step<S>(layers, cross_entropy, optimizer, accuracy);
  auto [p, state] = one.template init<double>(m, prng_key{1});

  auto q = init<S, double>(m, layers.weights(), prng_key{1});
  auto moments = optimizer.init(q);
  auto const loss = [&](auto const& w, prng_key key) {
    auto h = relu(einsum<"bi,io->bo">(x, w["d1"_n].kernel) + w["d1"_n].bias);
    auto y = all_reduce(einsum<"bi,io->bo">(dropout(h, rate_of_dropout, key), w["d2"_n].kernel));
    auto z = y + w["d2"_n].bias;
    return build<with_aux>(nn::softmax_cross_entropy(z, labels), nn::accuracy_count(stop_gradient(z), labels));
  };
  for (std::uint64_t i = 0; i < 3; ++i) {
    prng_key const key = fold_in(prng_key{2}, i);
    auto const [l, hits] = one(p, state, std::tie(x, labels), key);
    auto const [value, count, grads] = value_and_grad<"data">(loss)(q, key);
    auto const [l2, hits2, g] = all_reduce<"data">(bundle(value, count, grads));
    optimizer.update(q, moments, g);
    CHECK(item(l) == item(l2));
    CHECK(item(std::get<0>(hits)) == item(hits2));
  }
  CHECK(gather_all(p["d1"_n].kernel) == gather_all(q["d1"_n].kernel));
  CHECK(gather_all(p["d1"_n].bias) == gather_all(q["d1"_n].bias));
  CHECK(gather_all(p["d2"_n].kernel) == gather_all(q["d2"_n].kernel));
  CHECK(state.optimizer.step == 3);
}

}  // namespace

TEST_CASE("network: a step by a strategy has the bits of the step that a program writes") {
  compare_with_a_step_by_hand<sharded>(0.25);
  compare_with_a_step_by_hand<data_parallel<"data">>(0.);
}

// Layers after the first: the cotangent of the inputs of a kernel with sharded columns is a sum over its axis.
TEST_CASE("network: kernels of two pairs of layers sharded by columns and by rows learn what whole kernels learn") {
  using pairs = model_parallel<"data", rule<"in*/kernel", layout<none, "model">>, rule<"in*/bias", layout<"model">>,
                               rule<"out*/kernel", layout<"model", none>>, output_rule<"out*", layout<"data", none>>>;
  auto const m = mesh_of_ranks();
  constexpr auto layers = sequential<12>(dense<"first", 7>(relu()), dense<"in1", 8>(relu()), dense<"out1", 6>(relu()),
                                         dense<"in2", 10>(relu()), dense<"out2", 3>());
  auto const x = normal<double, layout<"data", none>>(m, {10, 12}, prng_key{5});
  auto const labels = generate<std::int32_t, layout<"data">>(m, {10}, class_of_row{});
  auto const learned = [&]<class S>(S) {
    auto const one = step<S>(layers, cross_entropy, sgd{.rate = 0.1});
    auto [p, state] = one.template init<double>(m, prng_key{1});
    for (std::uint64_t i = 0; i < 3; ++i) (void)one(p, state, std::tie(x, labels), prng_key{i});
    return std::tuple(gather_all(p["first"_n].kernel), gather_all(p["in1"_n].kernel), gather_all(p["out1"_n].bias),
                      gather_all(p["in2"_n].bias), gather_all(p["out2"_n].kernel));
  };
  auto const close = [](auto const& a, auto const& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-12));
  };
  auto const found = learned(pairs{}), expected = learned(data_parallel<"data">{});
  close(std::get<0>(found), std::get<0>(expected));
  close(std::get<1>(found), std::get<1>(expected));
  close(std::get<2>(found), std::get<2>(expected));
  close(std::get<3>(found), std::get<3>(expected));
  close(std::get<4>(found), std::get<4>(expected));
}

TEST_CASE("network: statistics of a batch_norm move in a step, and an evaluation uses them") {
  auto const m = mesh_of_ranks();
  using S = data_parallel<"data">;
  constexpr auto normed = sequential<4>(batch_norm<"n">(), dense<"d", 2>());
  auto const one = step<S>(normed, squared_error, sgd{.rate = 0});
  auto [p, state] = one.template init<double>(m, prng_key{1});
  auto const x = normal<double, layout<"data", none>>(m, {9, 4}, prng_key{5});
  auto const y = zeros<double, layout<"data", none>>(m, {9, 2});
  (void)one(p, state, std::tie(x, y), prng_key{2});
  auto const after =
      nn::batch_norm(x, p["n"_n].scale, p["n"_n].shift, init<S, double>(m, normed.variables()["n"_n], prng_key{1}))
          .state;
  CHECK(gather_all(state.variables["n"_n].mean) == gather_all(after.mean));
  CHECK(gather_all(state.variables["n"_n].variance) == gather_all(after.variance));

  auto const z = normed.template call<S, false>(p, state.variables, x, prng_key{0}).outputs;
  auto const h = nn::batch_norm_inference(x, p["n"_n].scale, p["n"_n].shift, after);
  CHECK(gather_all(z) == gather_all(einsum<"bi,io->bo">(h, p["d"_n].kernel) + p["d"_n].bias));
}

TEST_CASE("network: extents that do not fit are an error") {
  CHECK_THROWS_WITH(
      (void)sequential<12>(conv2d<"c", 3, 3>()),
      "ashlar::training::sequential: a layer of images takes height, width and channels of an example; write sequential<28, 28, 1>(...), and flatten() after such layers alone");
  CHECK_THROWS_WITH(
      (void)sequential<12>(residual<"r">(dense<"d", 3>())),
      "ashlar::training::sequential: the layers of a residual give other extents than they take; end them with a layer of as many units as the inputs have");
}

TEST_CASE("trainer: checkpoints without their header are an error") {
  auto const m = mesh_of_ranks();
  auto batches = datasets::tensor_batches(4, 2, [&](index_t n, std::uint64_t) {
    return std::tuple(zeros<float, layout<"data", none>>(m, {n, 4}), zeros<float, layout<"data", none>>(m, {n, 2}));
  });
  trainer t(data_parallel<"data">{}, m, sequential<4>(dense<"d", 2>()), squared_error, sgd{});
  CHECK_THROWS_WITH(
      t.fit(batches, {.checkpoints = "run1", .shown = false}),
      "ashlar::training::trainer: checkpoints are in HDF5 files; include ashlar/checkpoint.hpp and link ashlar::checkpoint");
}
