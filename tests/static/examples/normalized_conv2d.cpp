// What the step of three normalised convolutions and two dense layers sends.
#include "../examples/support/normalized_conv2d.hpp"
#include "../examples/support/layers.hpp"
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/layers.hpp"
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using namespace examples;

namespace {

using grid = mesh<axis<"data">>;
constexpr auto convolutions =
    std::tuple(conv2d_layer_of(3, 1, 12), conv2d_layer_of(6, 12, 24), conv2d_layer_of(6, 24, 32));
constexpr auto variables = std::tuple(convolutions, build<layer_pair>(dense_of(32, 256), dense_of(256, 10)));
constexpr auto moving = std::tuple(moving_statistics_of(12), moving_statistics_of(24), moving_statistics_of(32));

template <bool Training, statistics Over>
constexpr auto network = [](auto const& p, auto const& state, auto const& x) {
  auto const& [c1, c2, c3] = std::get<0>(p);
  auto [h1, s1] = normalized_conv2d<Training, Over, 1>(c1, std::get<0>(state), unflatten<1>(x, {28, 28, 1}));
  auto [h2, s2] = normalized_conv2d<Training, Over, 2>(c2, std::get<1>(state), h1);
  auto [h3, s3] = normalized_conv2d<Training, Over, 2>(c3, std::get<2>(state), h2);
  auto const& dense = std::get<1>(p);
  return std::pair(dense.d2(relu(dense.d1(global_average_pool(h3)))), std::tuple(s1, s2, s3));
};
template <statistics Over>
constexpr auto loss = [](auto const& p, auto const& state, auto const& x, auto const& labels) {
  auto [logits, after] = network<true, Over>(p, state, x);
  return build<with_aux>(softmax_cross_entropy(logits, labels),
                         std::tuple(accuracy_count(stop_gradient(logits), labels), after));
};
template <statistics Over = statistics::global>
constexpr auto dry_step = [](auto const& m) {
  auto p = init<data_parallel<"data">>(m, variables, prng_key{1});
  auto state = init<data_parallel<"data">>(m, moving, prng_key{1});
  auto moments = adam{}.init(p);
  auto const x = make<float, layout<"data", none>>(m, {64, 784});
  auto const labels = make<std::int32_t, layout<"data">>(m, {64});
  auto [value, aux, grads] = value_and_grad<"data">(loss<Over>)(p, state, x, labels);
  auto [l, h, g] = all_reduce<"data">(bundle(value, std::get<0>(aux), grads));
  adam{}.update(p, moments, g);
  state = std::get<1>(aux);
};

// [proof]
// The bytes that a rank receives in an all-reduce, if the ranks divide the elements.
constexpr index_t all_reduced(index_t elements, index_t element_bytes, index_t ranks) {
  return 2 * (elements - elements / ranks) * element_bytes;
}
constexpr index_t trainable = 3 * 3 * 12 + 12 + 6 * 6 * 12 * 24 + 24 + 6 * 6 * 24 * 32 + 32 + 33 * 256 + 257 * 10;
static_assert(trainable == 49210);  // as in Keras' summary of the model

constexpr bool communicates_as_it_should(index_t ranks) {
  auto const log = dry_run(grid{{static_cast<int>(ranks)}}, dry_step<>);
  index_t const parts = all_reduced(12 + 24 + 32, 24, ranks);         // three doubles a channel
  index_t const moments = all_reduced(2 * (12 + 24 + 32), 8, ranks);  // two
  return log.count() == 7 && log.count(collective::all_reduce, "data") == 7 && log.count(pass::forward) == 3 &&
         log.bytes_per_rank(pass::forward) == parts &&                                       // a normalisation each
         log.count(pass::backward) == 3 && log.bytes_per_rank(pass::backward) == moments &&  // and its derivative
         log.count(pass::update) == 1 &&  // gradients, loss and hits together
         log.bytes_per_rank(pass::update) == all_reduced(trainable + 2, 4, ranks);
}
static_assert(dry_run(grid{{1}}, dry_step<>).count() == 0);
static_assert(communicates_as_it_should(2));
static_assert(communicates_as_it_should(4));

// By the statistics of its shard a rank normalises without a message. Those of the batch move the averages, forward alone.
constexpr auto by_shard = dry_run(grid{{4}}, dry_step<statistics::per_shard>);
static_assert(by_shard.count() == 4 && by_shard.count() < dry_run(grid{{4}}, dry_step<>).count());
static_assert(by_shard.count(pass::forward) == 3 && by_shard.count(pass::backward) == 0);
static_assert(by_shard.count(pass::update) == 1);
static_assert(by_shard.bytes_per_rank(pass::forward) == all_reduced(12 + 24 + 32, 24, 4));
// [proof]

// Inference sends nothing, and returns the statistics as they are.
constexpr auto inference = [](auto const& m) {
  auto const state = init<data_parallel<"data">>(m, moving, prng_key{1});
  auto const p = init<data_parallel<"data">>(m, variables, prng_key{1});
  auto const [logits, after] =
      network<false, statistics::global>(p, state, make<float, layout<"data", none>>(m, {64, 784}));
  static_assert(std::is_same_v<layout_t<decltype(logits)>, layout<"data", none>>);
};
static_assert(dry_run(grid{{4}}, inference).count() == 0);

}  // namespace
