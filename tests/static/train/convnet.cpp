// What the step of three normalised convolutions and two dense layers sends.
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/step.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">>;
template <statistics Over>
constexpr auto network =
    sequential<28, 28, 1>(conv2d<"c1", 12, 3>(without_bias), batch_norm<"n1", Over>(without_scale), relu(),     //
                          conv2d<"c2", 24, 6, 2>(without_bias), batch_norm<"n2", Over>(without_scale), relu(),  //
                          conv2d<"c3", 32, 6, 2>(without_bias), batch_norm<"n3", Over>(without_scale), relu(),  //
                          global_average_pool(), dense<"d1", 256>(relu()), dense<"d2", 10>());
template <statistics Over = statistics::global>
constexpr auto dry_step = training_step<data_parallel<"data">>(network<Over>, cross_entropy, adam{}, 64, accuracy);

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
  auto const one = step<data_parallel<"data">>(network<statistics::global>, cross_entropy, adam{});
  auto const [p, state] = one.init(m, prng_key{1});
  auto const [logits, after] = network<statistics::global>.template call<data_parallel<"data">, false>(
      p, state.variables, make<float, layout<"data", none, none, none>>(m, {64, 28, 28, 1}), prng_key{2});
  static_assert(std::is_same_v<layout_t<decltype(logits)>, layout<"data", none>>);
};
static_assert(dry_run(grid{{4}}, inference).count() == 0);

}  // namespace
