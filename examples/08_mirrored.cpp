// What you learn here: data parallelism as the guide to TensorFlow's MirroredStrategy does it. Every rank has a copy of
// the variables. A batch is global and split over the ranks. Gradients are summed by one all-reduce a step, so the
// copies stay equal. The data pipeline reads, keeps, shuffles and batches: each rank has the rows of its shard alone.
//   mpiexec -n 4 mirrored --checkpoint run1 --every 100 --log run1.csv
#include "support/digits.hpp"
#include "support/layers.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">>;

// [model]
constexpr auto model = build<layer_triple>(dense_of(784, 256), dense_of(256, 256), dense_of(256, 10));

constexpr auto network = [](auto const& p, auto const& x, auto rate, prng_key key) {
  auto h = dropout(relu(p.d1(x)), rate, fold_in(key, 1));
  return p.d3(dropout(relu(p.d2(h)), rate, fold_in(key, 2)));
};

// [strategy]
using mirrored_variables = data_parallel<"data">;
using image_layout = layout<"data", none>;
using row_layout = layout<"data">;

// [step]
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

constexpr auto loss = [](auto const& p, auto const& x, auto const& y, auto const& weights, auto rate, prng_key key) {
  auto logits = network(p, x, rate, key);
  return build<with_aux>(nn::softmax_cross_entropy(logits, y, weights), nn::accuracy_count(stop_gradient(logits), y));
};
constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& y, auto const& w, auto rate,
                               prng_key k) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, y, w, rate, k);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));  // one message for all of them
  optimizer.update(p, state, g);
  return std::pair{l, h};
};

// [proof]
template <class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 64) {
  auto p = init<mirrored_variables, T>(m, model, prng_key{1});
  auto state = optimizer.init(p);
  auto x = make<T, image_layout>(m, {batch, 784});
  auto labels = make<std::int32_t, row_layout>(m, {batch});
  (void)train_step(p, state, x, labels, make<T, row_layout>(m, {batch}), T(0.2), prng_key{2});
};
static_assert(collectives(grid{{1}}, dry_step<>).count() == 0);
static_assert(collectives(grid{{8}}, dry_step<>).count(pass::update, collective::all_reduce, "data") == 1);
static_assert(collectives(grid{{8}}, dry_step<>).count() == 1);

// [evaluate]
// The mean loss, and the share of images that are recognised.
template <class T>
std::vector<double> means(device_mesh<grid> const& m, auto const& p, datasets::dataset const& d) {
  return mean_over(labelled_stream<T, image_layout, row_layout>(m, d), [&](auto const& batch) {
    auto const& [x, labels] = batch.tensors;
    auto [value, hits] = loss(p, x, labels, batch.template weights<T, row_layout>(), T(0), prng_key{0});
    auto [l, h] = all_reduce<"data">(bundle(value, hits));
    return std::vector{item(l) * static_cast<double>(batch.examples), static_cast<double>(item(h))};
  });
}
// [evaluate]

template <class T>
void train(device_mesh<grid> const& m, options const& o) {
  auto const [training, test] = open_digits(m.communicator(), o);
  // [data]
  index_t const validation_images = std::clamp<index_t>(training.examples() / 6, 1, 10000);
  auto const [validation, rest] = training.split(validation_images, fold_in(o.seed, 1));
  auto const ordered = o.shuffle ? rest.shuffle(fold_in(o.seed, 2)) : rest;
  auto const train_data = ordered.cache().batch(o.batch, datasets::last_batch::padded).prefetch(2);
  auto const validation_data = validation.cache().batch(o.batch, datasets::last_batch::padded).prefetch(2);
  auto const test_data = test.batch(o.batch, datasets::last_batch::padded).prefetch(2);
  // [fit]
  auto p = init<mirrored_variables, T>(m, model, fold_in(o.seed, 0));
  auto state = optimizer.init(p);
  print_step(std::cout, m, [&](auto const& a) { dry_step<T>(a, o.batch); });

  communicator const& ranks = m.communicator();
  auto const on_validation = [&] { return means<T>(m, p, validation_data); };
  auto batches = labelled_stream<T, image_layout, row_layout>(m, train_data);
  auto saved = o.checkpoints(ranks, conditions_of(ranks, o, training), true);  // each epoch's stays
  training_run run(ranks, o.run, saved.resume(p, state), o.taken_in(batches.examples()));
  batches.seek({run.at().epoch, run.at().batch});
  while (run.goes_on()) {
    auto const batch = batches.next();
    auto const& [x, y] = batch.tensors;
    auto const weights = batch.template weights<T, row_layout>();  // 0 for the padding
    auto [l, h] = train_step(p, state, x, y, weights, T(o.dropout), o.key(3, run.at().step));
    run.after_step({item(l), static_cast<double>(item(h)), batch.examples}, batches.count(), on_validation);
    saved.after_step(run.at(), p, state);
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();
  // [fit]
  require_equal_replicas(m, p);
  auto const reached = means<T>(m, p, test_data);
  if (m.rank() == 0) std::printf("\ntest loss: %.4f\ntest accuracy: %.4f\n", reached[0], reached[1]);
}

int main(int argc, char** argv) {
  program const about("mirrored", "Trains a small network on handwritten digits, mirrored on MPI ranks.", {"data"},
                      {"data_parallel"}, {{"data", ""}, {"batch", "64"}, {"epochs", "2"}, {"dropout", "0"}},
                      {"loss", "accuracy", "val_loss", "val_accuracy"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
    if (m.rank() == 0) std::printf("mesh data=%d: %d replicas in sync\n", o.size[0], m.size());
    return o.choose<mirrored_variables>([&]<class, class T> { train<T>(m, o); });
  });
}
