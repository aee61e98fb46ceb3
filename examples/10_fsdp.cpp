// What you learn here: fully sharded data parallelism (ZeRO 1, 2 and 3) is where parameters, gradients and the optimizer's
// state lie, and nothing else. The network has one source; a layer asks for its whole weight, which costs an all-gather
// where the layout shards it. What the backward pass keeps is one word: remat.
//
//                  parameters       gathered                        gradients                   optimizer's state
//   replicated     on every rank    -                               all-reduced                 on every rank
//   zero1          on every rank    after the update                reduce-scattered            sharded
//   zero2          sharded          forward, kept for the backward  reduce-scattered as made    sharded
//   zero3          sharded          forward, and again backward     reduce-scattered as made    sharded
//
// Over a second axis, "data", all of that is replicated (hybrid sharding): gradients are all-reduced there.
//   mpiexec -n 4 fsdp --mesh data=2,shard=2 --strategy zero3
#include <ashlar/tensor/memory_use.hpp>

#include <cstdio>
#include <iostream>

#include "digits.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"shard">>;

// [model]
template <class D1, class D2, class D3, class D4, class D5, class D6>
struct mlp {
  D1 d1;
  D2 d2;
  D3 d3;
  D4 d4;
  D5 d5;
  D6 d6;
  static constexpr auto names = ashlar::names("d1", "d2", "d3", "d4", "d5", "d6");
};
constexpr index_t inputs = 784, width = 512, classes = 10, layers = 6;
constexpr auto layer_of = [](index_t in, index_t out) { return build<linear>(weight{in, out}.from(initializer::he_normal)); };
constexpr auto model = build<mlp>(layer_of(inputs, width), layer_of(width, width), layer_of(width, width), layer_of(width, width),
                                  layer_of(width, width), layer_of(width, classes));
constexpr index_t parameters = inputs * width + 4 * width * width + width * classes;

enum class strategy { zero3, zero2, zero1, replicated };
template <strategy S>
using layouts_of = std::conditional_t<S == strategy::zero3 || S == strategy::zero2,
                                      model_parallel<axes("data", "shard"), rule<"kernel", layout<"shard", none>>>,  // every kernel
                                      data_parallel<axes("data", "shard")>>;
using image_rows = layout<axes("data", "shard"), none>;
using row_labels = layout<axes("data", "shard")>;
// [model]

// [network]
constexpr auto entire = [](auto const& w) { return redistribute<layout<none, none>>(w); };  // an all-gather, or nothing
constexpr auto hidden = [](auto const& p, auto const& x, auto rate, prng_key key) {
  return dropout(relu(einsum<"bi,ih->bh">(x, entire(p.kernel))), rate, key);
};
constexpr auto readout = [](auto const& p, auto const& h) { return einsum<"bh,ho->bo">(h, entire(p.kernel)); };

template <strategy S>
constexpr auto kept_as = [](auto layer) {
  if constexpr (S == strategy::zero3)
    return remat(layer);  // the tape keeps the shard and the layer's input; the backward pass gathers again
  else
    return layer;
};

template <strategy S>
constexpr auto network = [](auto const& p, auto const& x, auto rate, prng_key key) {
  auto const layer = [&](auto const& own, auto const& h, std::uint64_t i) { return kept_as<S>(hidden)(own, h, rate, fold_in(key, i)); };
  return kept_as<S>(readout)(p.d6, layer(p.d5, layer(p.d4, layer(p.d3, layer(p.d2, layer(p.d1, x, 1), 2), 3), 4), 5));
};

template <strategy S>
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto z = network<S>(p, x, rate, key);
  return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(stop_gradient(z), labels));
};
// [network]

// [step]
constexpr auto sharded = [](auto const& x) { return redistribute<layout<"shard", none>>(x); };  // a slice, or a reduce-scatter

template <strategy S>
constexpr auto initial_state = [](auto const& p) {
  if constexpr (S == strategy::zero1)
    return adam{}.init(map(sharded, p));
  else
    return adam{}.init(p);
};

template <strategy S>
constexpr auto step = [](auto& p, auto& state, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto [value, hits, grads] = value_and_grad<axes("data", "shard")>(loss<S>)(p, x, labels, rate, key);
  if constexpr (S == strategy::replicated) {
    auto [l, h, g] = all_reduce<axes("data", "shard")>(bundle(value, hits, grads));
    adam{}.update(p, state, g);
    return std::pair{l, h};
  } else {
    auto [l, h] = all_reduce<axes("data", "shard")>(bundle(value, hits));
    if constexpr (S == strategy::zero1) {
      auto [g] = all_reduce<"data">(bundle(map([](auto const& leaf) { return reduce_scatter<"shard", 0>(leaf); }, grads)));
      auto own = map(sharded, p);
      adam{}.update(own, state, g);
      p = map(entire, own);
    } else {
      auto [g] = all_reduce<"data">(bundle(grads));  // over the shards they are reduced already
      adam{}.update(p, state, g);
    }
    return std::pair{l, h};
  }
};
// [step]

// [proof]
template <strategy S, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 128) {
  auto p = init<layouts_of<S>, T>(m, model, prng_key{1});
  auto state = initial_state<S>(p);
  (void)step<S>(p, state, make<T, image_rows>(m, {batch, inputs}), make<std::int32_t, row_labels>(m, {batch}), T(0.1), prng_key{2});
};

// On one replica of n ranks: messages of each kind, one a layer, and how often all parameters travel.
struct volume {
  int gathers, scatters;
};
template <strategy S>
constexpr bool moves(volume v, index_t n) {
  auto const log = collectives(grid{{1, static_cast<int>(n)}}, dry_step<S>);
  index_t const once = parameters * 4 * (n - 1) / n;
  return log.count(collective::all_gather, "shard") == v.gathers * layers && log.bytes_per_rank(collective::all_gather, "shard") == v.gathers * once &&
         log.count(collective::reduce_scatter, "shard") == v.scatters * layers && log.bytes_per_rank(collective::reduce_scatter, "shard") == v.scatters * once &&
         log.count(collective::all_reduce) == 1 && log.count() == (v.gathers + v.scatters) * layers + 1;
}
static_assert(moves<strategy::replicated>({0, 0}, 4));
static_assert(moves<strategy::zero1>({1, 1}, 4));
static_assert(moves<strategy::zero2>({1, 1}, 4));
static_assert(moves<strategy::zero3>({2, 1}, 4));
static_assert(moves<strategy::zero3>({2, 1}, 8));
constexpr auto replicated_on_4 = collectives(grid{{1, 4}}, dry_step<strategy::replicated>);
static_assert(replicated_on_4.bytes_per_rank() == 2 * (parameters + 2 - (parameters + 2) / 4) * 4);  // loss and hits ride along
constexpr auto zero3_on_4 = collectives(grid{{1, 4}}, dry_step<strategy::zero3>);
static_assert(zero3_on_4.count(pass::forward, collective::all_gather) == layers && zero3_on_4.count(pass::backward, collective::all_gather) == layers);
static_assert(zero3_on_4.count(pass::backward, collective::reduce_scatter) == layers);  // each as its layer's gradient is made
constexpr auto hybrid = collectives(grid{{2, 4}}, dry_step<strategy::zero3>);
static_assert(hybrid.bytes_per_rank(collective::all_gather, "shard") == 2 * parameters * 4 * 3 / 4);
static_assert(hybrid.bytes_per_rank(collective::all_reduce, "data") == parameters / 4 * 4);  // two replicas: 2 (p-1)/p of a shard
static_assert(collectives(grid{{1, 1}}, dry_step<strategy::zero3>).count() == 0);
// [proof]

program const about{.name = "fsdp", .purpose = "Trains a deep network on handwritten digits, with everything sharded, on a mesh of MPI ranks.",
                    .axes = {"data", "shard"}, .strategies = {"zero3", "zero2", "zero1", "replicated"}, .batch = "128", .epochs = "2", .dropout = "0"};

// Elements of the parameters on the rank that has the largest shard of each kernel.
constexpr index_t largest_share(index_t shards) {
  auto const shard_of = [&](index_t in, index_t out) { return (in + shards - 1) / shards * out; };
  return shard_of(inputs, width) + 4 * shard_of(width, width) + shard_of(width, classes);
}
static_assert(largest_share(1) == parameters && 4 * largest_share(4) == parameters);
static_assert(largest_share(3) == (262 + 4 * 171) * width + 171 * classes);

// Parameters, gradients, their sums over replicas and two moments of Adam's by their shares; what the layers are given; one layer: its whole kernel, the kernel's gradient, and what it makes of its rows, forward and backward.
template <class T>
std::size_t bound_of_zero3(index_t batch, index_t replicas, index_t shards) {
  index_t const ranks = replicas * shards, n = (batch + ranks - 1) / ranks;
  index_t const state = (replicas > 1 ? 5 : 4) * largest_share(shards);
  index_t const activations = n * (inputs + 5 * width + classes + 1), layer = 2 * inputs * width + n * (inputs + 4 * width);
  return static_cast<std::size_t>(state + activations + layer) * sizeof(T);
}

template <strategy S, class T>
int train(device_mesh<grid> const& m, options const& o, digit_data const& data) {
  bool const root = m.rank() == 0;
  auto p = init<layouts_of<S>, T>(m, model, fold_in(o.seed, 0));
  auto state = initial_state<S>(p);
  if (root)
    std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { dry_step<S, T>(a, o.batch); }) << std::endl;

  index_t const images = data.train_images.extents[0];
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(images));
  auto const order = [&](index_t epoch) { return o.batches(images, o.batch, epoch); };
  auto const take = [&](shuffled_batches const& batches, data_position const& at) {
    auto const x = feed<T, image_rows>(m, data.train_images, batches, at.batch, T(1) / T(255));
    auto const labels = feed<std::int32_t, row_labels>(m, data.train_labels, batches, at.batch, 1);
    auto const [l, h] = step<S>(p, state, x, labels, T(o.dropout), fold_in(fold_in(o.seed, 2), static_cast<std::uint64_t>(at.step)));
    return step_result{item(l), static_cast<double>(item(h)), batches.size(at.batch)};
  };
  reset_peak_memory();
  run.go_on(saved, order, take, nothing_else, p, state);
  std::size_t const peak = memory_in_use().peak, bound = bound_of_zero3<T>(o.batch, o.size[0], o.size[1]);

  double const reached = mean_over(data.test_images.extents[0], 1000, [&](shuffled_batches const& tests, index_t i) {
    auto const x = feed<T, image_rows>(m, data.test_images, tests, i, T(1) / T(255));
    auto const labels = feed<std::int32_t, row_labels>(m, data.test_labels, tests, i, 1);
    return item(all_reduce(accuracy_count(network<S>(p, x, T(0), prng_key{0}), labels)));
  });
  if (root) std::printf("\npeak memory of rank 0: %zu bytes; state / shards + activations + one layer: %zu bytes\n", peak, bound);
  if (root) std::printf("test accuracy: %.4f\n", reached);
  require_equal_replicas(m, p);
  comm::collectively(m.communicator(), [&] {
    if (S == strategy::zero3 && peak > bound) throw error("fsdp: a rank takes " + std::to_string(peak) + " bytes, more than the bound of " + std::to_string(bound));
  });
  return 0;
}

template <strategy S>
int train_in(device_mesh<grid> const& m, options const& o, digit_data const& data) {
  return o.precision == 1 ? train<S, double>(m, o, data) : train<S, float>(m, o, data);
}

int run(options const& o) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
  if (m.rank() == 0) std::printf("mesh data=%d x shard=%d on %d ranks\n", o.size[0], o.size[1], m.size());
  digit_data const data = load_digits(m.communicator(), o);
  switch (static_cast<strategy>(o.strategy)) {
    case strategy::zero3: return train_in<strategy::zero3>(m, o, data);
    case strategy::zero2: return train_in<strategy::zero2>(m, o, data);
    case strategy::zero1: return train_in<strategy::zero1>(m, o, data);
    default: return train_in<strategy::replicated>(m, o, data);
  }
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
