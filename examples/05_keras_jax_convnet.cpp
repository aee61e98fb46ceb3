// What you learn here: training with several devices as the Keras + JAX guide to data parallelism does it: one state of
// trainable variables, other variables and the optimizer's, replicated; a batch that is sharded; one step as a function.
// Layouts that JAX has as values are types here, so the compiler counts the step's messages and finds what would be wrong.
//
// The network: three convolutions, each normalised over the whole batch, or by --batch-norm shard over a rank's part of it;
// the mean of each channel; two dense layers. Over the whole batch it is the same for 1 rank and for many:
//   mpiexec -n 4 keras_jax_convnet --mesh data=4 --checkpoint run1 --every 200 --log run1.csv
#include <cstdio>
#include <iostream>

#include "digits.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

// [model]
template <class K, class S>
struct convolution {
  K kernel;
  S shift;
  static constexpr auto names = ashlar::names("kernel", "shift");
};
template <class C1, class C2, class C3, class D1, class D2>
struct convnet {
  C1 conv1;
  C2 conv2;
  C3 conv3;
  D1 dense1;
  D2 dense2;
  static constexpr auto names = ashlar::names("conv1", "conv2", "conv3", "dense1", "dense2");
};
// What training changes without a gradient: moving statistics, one pair for each convolution.
template <class M1, class M2, class M3>
struct per_convolution {
  M1 conv1;
  M2 conv2;
  M3 conv3;
  static constexpr auto names = ashlar::names("conv1", "conv2", "conv3");
};
constexpr auto variables = build<convnet>(build<convolution>(weight{3, 3, 1, 12}, weight{12}),    //
                                          build<convolution>(weight{6, 6, 12, 24}, weight{24}),   //
                                          build<convolution>(weight{6, 6, 24, 32}, weight{32}),   //
                                          build<affine>(weight{32, 256}, weight{256}), build<affine>(weight{256, 10}, weight{10}));
constexpr auto statistics_of = [](index_t channels) {
  return build<moving_statistics>(weight{channels}, weight{channels}.from(initializer::ones));
};
constexpr auto other_variables = build<per_convolution>(statistics_of(12), statistics_of(24), statistics_of(32));
// [model]

// [network]
enum class mode { training, inference };
template <class Y, class S>
struct output {
  Y logits;
  S state;
};

template <mode Mode, statistics Over, int Stride>
constexpr auto block = [](auto const& p, auto const& state, auto const& x) {
  auto h = conv2d<Stride>(x, p.kernel);
  if constexpr (Mode == mode::training) {
    auto [y, after] = batch_norm<Over>(h, none, p.shift, state);  // over all ranks' images, or each over its own
    return build<batch_normalized>(relu(y), after);
  } else {
    return build<batch_normalized>(relu(batch_norm_inference(h, none, p.shift, state)), state);
  }
};

template <mode Mode, statistics Over = statistics::global>
constexpr auto network = [](auto const& p, auto const& state, auto const& x, auto rate, prng_key key) {
  auto images = unflatten<1>(x, {28, 28, 1}) * (decltype(rate)(1) / 255);
  auto [h1, s1] = block<Mode, Over, 1>(p.conv1, state.conv1, images);
  auto [h2, s2] = block<Mode, Over, 2>(p.conv2, state.conv2, h1);
  auto [h3, s3] = block<Mode, Over, 2>(p.conv3, state.conv3, h2);
  auto h = relu(einsum<"bi,ih->bh">(global_average_pool(h3), p.dense1.kernel) + p.dense1.bias);
  auto logits = einsum<"bh,ho->bo">(dropout(h, rate, key), p.dense2.kernel) + p.dense2.bias;
  return build<output>(logits, build<per_convolution>(s1, s2, s3));
};
// [network]

// [strategies]
using replicated_variables = data_parallel<"data">;
using sharded_images = layout<"data", none>;
using sharded_labels = layout<"data">;
// [strategies]

// [step]
template <class T, class N, class O>
struct train_state {
  T trainable;
  N non_trainable;
  O optimizer;
};
template <class H, class S>
struct observed {
  H hits;
  S state;
  static constexpr auto names = ashlar::names("hits", "state");
};
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

template <statistics Over>
constexpr auto compute_loss = [](auto const& p, auto const& state, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto [logits, after] = network<mode::training, Over>(p, state, x, rate, key);
  return build<with_aux>(softmax_cross_entropy(logits, labels), build<observed>(accuracy_count(stop_gradient(logits), labels), after));
};

template <statistics Over>
constexpr auto train_step = [](auto& s, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto [value, aux, grads] = value_and_grad<"data">(compute_loss<Over>)(s.trainable, s.non_trainable, x, labels, rate, key);
  auto [loss, hits, g] = all_reduce<"data">(bundle(value, aux.hits, grads));  // one message for all of them
  optimizer.update(s.trainable, s.optimizer, g);
  s.non_trainable = aux.state;
  return std::pair{loss, hits};
};
// [step]

// [state]
template <class T>
constexpr auto initial_state = [](auto const& m, prng_key key) {
  auto p = init<replicated_variables, T>(m, variables, key);
  return build<train_state>(p, init<replicated_variables, T>(m, other_variables, key), optimizer.init(p));
};
// [state]

// [proof]
template <class T = float, statistics Over = statistics::global>
constexpr auto dry_step = [](auto const& m, index_t batch = 64) {
  auto state = initial_state<T>(m, prng_key{1});
  auto x = make<T, sharded_images>(m, {batch, 784});
  auto labels = make<std::int32_t, sharded_labels>(m, {batch});
  (void)train_step<Over>(state, x, labels, T(0.5), prng_key{2});
};

// What a rank receives in an all-reduce, where the elements divide by the ranks.
constexpr index_t all_reduced(index_t elements, index_t element_bytes, index_t ranks) {
  return 2 * (elements - elements / ranks) * element_bytes;
}
constexpr index_t trainable = 3 * 3 * 12 + 12 + 6 * 6 * 12 * 24 + 24 + 6 * 6 * 24 * 32 + 32 + 33 * 256 + 257 * 10;
static_assert(trainable == 49210);  // what Keras' summary of the model says

constexpr bool communicates_as_it_should(index_t ranks) {
  auto const log = collectives(grid{{static_cast<int>(ranks)}}, dry_step<>);
  index_t const moments = all_reduced(2 * (12 + 24 + 32), 8, ranks);  // two doubles a channel
  return log.count() == 7 && log.count(collective::all_reduce, "data") == 7 &&
         log.count(pass::forward) == 3 && log.bytes_per_rank(pass::forward) == moments &&    // a normalisation each
         log.count(pass::backward) == 3 && log.bytes_per_rank(pass::backward) == moments &&  // and its derivative
         log.count(pass::update) == 1 &&                                                     // gradients, loss and hits together
         log.bytes_per_rank(pass::update) == all_reduced(trainable + 2, 4, ranks);
}
static_assert(collectives(grid{{1}}, dry_step<>).count() == 0);
static_assert(communicates_as_it_should(2));
static_assert(communicates_as_it_should(4));

// By the statistics of its shard a rank normalises without a message; those of the batch move the averages, forward alone.
constexpr auto by_shard = collectives(grid{{4}}, dry_step<float, statistics::per_shard>);
static_assert(by_shard.count() == 4 && by_shard.count() < collectives(grid{{4}}, dry_step<>).count());
static_assert(by_shard.count(pass::forward) == 3 && by_shard.count(pass::backward) == 0 && by_shard.count(pass::update) == 1);
static_assert(by_shard.bytes_per_rank(pass::forward) == all_reduced(2 * (12 + 24 + 32), 8, 4));
// [proof]

program const about{.name = "keras_jax_convnet", .purpose = "Trains a convolutional network on handwritten digits, on a mesh of MPI ranks.",
                    .strategies = {"data_parallel"}, .batch = "64", .epochs = "2", .dropout = "0.5", .batch_norm = true};

template <class T>
int train(device_mesh<grid> const& m, options const& o, digit_data const& data) {
  bool const root = m.rank() == 0;
  auto state = initial_state<T>(m, fold_in(o.seed, 0));

  if (root) {
    std::cout << "\na batch of images, " << to_string(sharded_images{}) << "\n";
    // [draw]
    draw<sharded_images>(std::cout, m.shape(), {o.batch, 784});
    // [draw]
    std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { o.per_shard ? dry_step<T, statistics::per_shard>(a, o.batch) : dry_step<T>(a, o.batch); }) << std::endl;
  }

  index_t const images = data.train_images.extents[0];
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  training_run run(m.communicator(), o.run, saved.resume(state.trainable, state.optimizer, state.non_trainable), o.taken_in(images));
  // [loop]
  auto const order = [&](index_t epoch) { return o.batches(images, o.batch, epoch); };
  auto const take = [&](shuffled_batches const& batches, data_position const& at) {
    auto x = feed<T, sharded_images>(m, data.train_images, batches, at.batch, T(1));
    auto labels = feed<std::int32_t, sharded_labels>(m, data.train_labels, batches, at.batch, 1);
    auto const key = fold_in(fold_in(o.seed, 2), static_cast<std::uint64_t>(at.step));
    auto [l, h] = o.per_shard ? train_step<statistics::per_shard>(state, x, labels, T(o.dropout), key) : train_step<statistics::global>(state, x, labels, T(o.dropout), key);
    return step_result{item(l), static_cast<double>(item(h)), batches.size(at.batch)};
  };
  run.go_on(saved, order, take, nothing_else, state.trainable, state.optimizer, state.non_trainable);
  // [loop]
  require_equal_replicas(m, state.trainable);
  require_equal_replicas(m, state.non_trainable);
  // [evaluate]
  double const reached = mean_over(data.test_images.extents[0], 1000, [&](shuffled_batches const& batches, index_t i) {
    auto x = feed<T, sharded_images>(m, data.test_images, batches, i, T(1));
    auto labels = feed<std::int32_t, sharded_labels>(m, data.test_labels, batches, i, 1);
    auto logits = network<mode::inference>(state.trainable, state.non_trainable, x, T(0), prng_key{0}).logits;
    return item(all_reduce(accuracy_count(logits, labels)));
  });
  // [evaluate]
  if (root) std::printf("\ntest accuracy: %.4f\n", reached);
  return 0;
}

// [devices]
int run(options const& o) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
  if (m.rank() == 0) std::printf("mesh data=%d on %d ranks\n", o.size[0], m.size());
  digit_data const data = load_digits(m.communicator(), o);
  return o.precision == 1 ? train<double>(m, o, data) : train<float>(m, o, data);
}
// [devices]

int main(int argc, char** argv) { return start(argc, argv, about, run); }
