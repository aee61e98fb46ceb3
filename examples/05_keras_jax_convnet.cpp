// What you learn here: training with several devices as the Keras + JAX guide to data parallelism does it. Losses are the
// same on all meshes, and by --strategy spatial. By --batch-norm shard a rank normalises over its part of the batch.
//   mpiexec -n 4 keras_jax_convnet --checkpoint run1 --every 200 --log run1.csv
#include "support/digits.hpp"
#include "support/layers.hpp"
#include "support/normalized_conv2d.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">>;
// [model]
template <class C, class D1, class D2>
struct convnet {
  C conv;
  D1 dense1;
  D2 dense2;
  static constexpr auto names = ashlar::names("conv", "dense1", "dense2");
};
constexpr auto convolutions =
    build<layer_triple>(conv2d_layer_of(3, 1, 12), conv2d_layer_of(6, 12, 24), conv2d_layer_of(6, 24, 32));
constexpr auto variables = build<convnet>(convolutions, dense_of(32, 256), dense_of(256, 10));
// Training changes these without a gradient: moving statistics, one pair for each convolution.
constexpr auto other_variables =
    build<layer_triple>(moving_statistics_of(12), moving_statistics_of(24), moving_statistics_of(32));
// [network]
using replicated_variables = data_parallel<"data">;
using split_batch = batch_sharded<"data", 4>;
using split_rows = fresh<layout<none, halo("data", 4), none, none>>;  // with room for rows of the neighbours

template <bool Training, class Images = split_batch, nn::statistics Over = nn::statistics::global>
constexpr auto network = [](auto const& p, auto const& others, auto const& x, auto rate, prng_key key) {
  auto images = unflatten<1>(x, {28, 28, 1}) * (decltype(rate)(1) / 255);
  auto [h1, s1] = normalized_conv2d<Training, Over, 1>(p.conv.d1, others.d1, redistribute<Images>(images));
  auto [h2, s2] = normalized_conv2d<Training, Over, 2>(p.conv.d2, others.d2, redistribute<Images>(h1));
  auto [h3, s3] = normalized_conv2d<Training, Over, 2>(p.conv.d3, others.d3, redistribute<Images>(h2));
  auto pooled = redistribute<layout<"data", none>>(nn::global_average_pool(h3));
  auto logits = p.dense2(dropout(relu(p.dense1(pooled)), rate, key));
  return std::pair(logits, build<layer_triple>(s1, s2, s3));
};
// [step]
using sharded_images = layout<"data", none>;
using sharded_labels = layout<"data">;
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

template <class Images, nn::statistics Over>
constexpr auto compute_loss = [](auto const& p, auto const& s, auto const& x, auto const& y, auto rate, prng_key k) {
  auto [logits, after] = network<true, Images, Over>(p, s, x, rate, k);
  return build<with_aux>(nn::softmax_cross_entropy(logits, y),
                         std::tuple(nn::accuracy_count(stop_gradient(logits), y), after));
};

template <class Images, nn::statistics Over>
constexpr auto train_step = [](auto& state, auto const& x, auto const& y, auto rate, prng_key key) {
  auto& [trainable, others, moments] = state;
  auto [value, aux, grads] = value_and_grad<"data">(compute_loss<Images, Over>)(trainable, others, x, y, rate, key);
  auto [loss, hits, g] = all_reduce<"data">(bundle(value, std::get<0>(aux), grads));  // one message for all of them
  optimizer.update(trainable, moments, g);
  others = std::get<1>(aux);
  return std::pair{loss, hits};
};

template <class T>
constexpr auto initial_state = [](auto const& m, prng_key key) {
  auto p = init<replicated_variables, T>(m, variables, key);
  return std::tuple(p, init<replicated_variables, T>(m, other_variables, key), optimizer.init(p));
};
// [step]
template <class Images = split_batch, class T = float, nn::statistics Over = nn::statistics::global>
constexpr auto dry_step = [](auto const& m, index_t batch = 64) {
  auto state = initial_state<T>(m, prng_key{1});
  auto labels = make<std::int32_t, sharded_labels>(m, {batch});
  (void)train_step<Images, Over>(state, make<T, sharded_images>(m, {batch, 784}), labels, T(0.5), prng_key{2});
};

static_assert(dry_run(grid{{1}}, dry_step<>).count() == 0);
static_assert(dry_run(grid{{4}}, dry_step<>).count() == 3 + 3 + 1);  // normalisations, backward, update
static_assert(dry_run(grid{{4}}, dry_step<split_batch, float, nn::statistics::per_shard>).count() == 3 + 1);
static_assert(dry_run(grid{{4}}, dry_step<split_rows>).count() == 7 + 3 + 2 + 3);  // 3 exchanges, 2 sums of halos
template <class Images, nn::statistics Over, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  auto state = initial_state<T>(m, fold_in(o.seed, 0));
  auto& [p, others, moments] = state;
  print_blocks<sharded_images>(std::cout, m, "a batch of images", {o.batch, 784});
  print_step(std::cout, m, [&](auto const& a) { dry_step<Images, T, Over>(a, o.batch); });

  // [loop]
  auto batches = labelled_stream<T, sharded_images, sharded_labels>(m, o.in_batches(digits.training));
  auto saved = o.checkpoints(m.communicator(), conditions_of(m.communicator(), o, digits.training));
  training_run run(m.communicator(), o.run, saved.resume(p, moments, others), o.taken_in(batches.examples()));
  batches.seek({run.at().epoch, run.at().batch});
  while (run.goes_on()) {
    auto const batch = batches.next();
    auto const& [x, labels] = batch.tensors;
    auto [l, h] = train_step<Images, Over>(state, x, labels, T(o.dropout), o.key(2, run.at().step));
    run.after_step({item(l), static_cast<double>(item(h)), batch.examples}, batches.count());
    saved.after_step(run.at(), p, moments, others);
  }
  saved.after_last_step(run.at(), p, moments, others);
  saved.finish();
  run.finish();
  // [loop]
  require_equal_replicas(m, std::tuple(p, others));
  auto const logits = [&, &p = p, &others = others](auto const& x) {
    return network<false, Images>(p, others, x, T(0), prng_key{0}).first;
  };
  double const reached = test_accuracy<T, sharded_images, sharded_labels>(m, digits.test, T(1), logits);
  print_number(std::cout, m, "test accuracy", reached);
}

int main(int argc, char** argv) {
  program const about("keras_jax_convnet", "Trains a convolutional network.", {"data"}, {"data_parallel", "spatial"},
                      {{"data", ""}, {"batch", "64"}, {"epochs", "2"}, {"dropout", "0.5"}, {"batch-norm", "global"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
    print_mesh(std::cout, m);
    digit_sets const digits = digit_sets_of(load_digits(m.communicator(), o));
    return choose_value<nn::statistics::global, nn::statistics::per_shard>(o.per_shard, [&](auto over) {
      return o.choose<split_batch, split_rows>([&]<class I, class T> { train<I, over.value, T>(m, o, digits); });
    });
  });
}
