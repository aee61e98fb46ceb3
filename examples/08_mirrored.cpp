// What you learn here: data parallelism as the guide to TensorFlow's MirroredStrategy does it. Every rank has a copy of the
// variables; a batch is global and split over the ranks; gradients are summed by one all-reduce a step, so the copies stay
// equal, and the training is that of one device. The data pipeline reads, keeps, shuffles and batches: each rank has the rows of
// its shard alone, a thread makes the next ones ready, and the last batch of an epoch counts for what it holds.
//
// The network: 784 -> dense 256, relu -> dense 256, relu -> dense 10, on raw pixels of 0 to 255; Adam. --dropout puts dropout
// behind each relu.
//   mpiexec -n 4 mirrored --mesh data=4 --checkpoint run1 --every 100 --log run1.csv
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "digits.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

// [model]
template <class D1, class D2, class D3>
struct mlp {
  D1 dense1;
  D2 dense2;
  D3 dense3;
  static constexpr auto names = ashlar::names("dense1", "dense2", "dense3");
};
constexpr auto model = build<mlp>(build<affine>(weight{784, 256}, weight{256}),  //
                                  build<affine>(weight{256, 256}, weight{256}), build<affine>(weight{256, 10}, weight{10}));

constexpr auto layer = [](auto const& p, auto const& x) { return einsum<"bi,io->bo">(x, p.kernel) + p.bias; };
constexpr auto network = [](auto const& p, auto const& x, auto rate, prng_key key) {
  auto h = dropout(relu(layer(p.dense1, x)), rate, fold_in(key, 1));
  return layer(p.dense3, dropout(relu(layer(p.dense2, h)), rate, fold_in(key, 2)));
};
// [model]

// [strategy]
using mirrored_variables = data_parallel<"data">;
using image_layout = layout<"data", none>;
using row_layout = layout<"data">;
// [strategy]

// [step]
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, auto const& weights, auto rate, prng_key key) {
  auto logits = network(p, x, rate, key);
  return build<with_aux>(softmax_cross_entropy(logits, labels, weights), accuracy_count(stop_gradient(logits), labels));
};

constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& labels, auto const& weights, auto rate, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, labels, weights, rate, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));  // one message for all of them
  optimizer.update(p, state, g);
  return std::pair{l, h};
};

constexpr auto test_step = [](auto const& p, auto const& x, auto const& labels, auto const& weights) {
  auto [value, hits] = loss(p, x, labels, weights, element_t<decltype(x)>(0), prng_key{0});
  return all_reduce<"data">(bundle(value, hits));
};
// [step]

// [proof]
template <class T = float>
constexpr auto dry_train_step = [](auto const& m, index_t batch = 64) {
  auto p = init<mirrored_variables, T>(m, model, prng_key{1});
  auto state = optimizer.init(p);
  (void)train_step(p, state, make<T, image_layout>(m, {batch, 784}), make<std::int32_t, row_layout>(m, {batch}), make<T, row_layout>(m, {batch}),
                   T(0.2), prng_key{2});
};
constexpr auto dry_test_step = [](auto const& m) {
  auto p = init<mirrored_variables>(m, model, prng_key{1});
  (void)test_step(p, make<float, image_layout>(m, {64, 784}), make<std::int32_t, row_layout>(m, {64}), make<float, row_layout>(m, {64}));
};

constexpr index_t parameters = 785 * 256 + 257 * 256 + 257 * 10;
constexpr bool communicates_as_it_should(index_t ranks) {
  auto const train = collectives(grid{{static_cast<int>(ranks)}}, dry_train_step<>);
  auto const test = collectives(grid{{static_cast<int>(ranks)}}, dry_test_step);
  // An all-reduce of n elements brings a rank 2 (n - n / ranks) of them, rounded up: gradients, loss and hits together.
  index_t const n = parameters + 2, least = (n + ranks - 1) / ranks;
  return train.count() == 1 && train.count(collective::all_reduce, "data") == 1 && train.count(pass::update) == 1 &&
         train.bytes_per_rank() >= 2 * (n - least) * 4 && train.bytes_per_rank() <= 2 * n * 4 * (ranks - 1) / ranks + 8 &&
         test.count() == 1 && test.count(collective::all_reduce, "data") == 1;
}
static_assert(collectives(grid{{1}}, dry_train_step<>).count() == 0);
static_assert(communicates_as_it_should(2));
static_assert(communicates_as_it_should(4));
static_assert(communicates_as_it_should(8));
// [proof]

program const about{.name = "mirrored", .purpose = "Trains a small network on handwritten digits, mirrored on MPI ranks.",
                    .strategies = {"data_parallel"}, .batch = "64", .epochs = "2", .dropout = "0"};

// [evaluate]
template <class T>
auto stream(device_mesh<grid> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<T, image_layout>{}, batch_field<std::int32_t, row_layout>{});
}

struct means {
  running_mean loss, accuracy;
  template <class L, class H>
  void add(L const& batch_loss, H const& hits, index_t examples) {
    loss.add(static_cast<double>(item(batch_loss)), examples);
    accuracy.add_sum(static_cast<double>(item(hits)), examples);
  }
};

template <class T, class P>
means evaluate(device_mesh<grid> const& m, P const& p, dataset const& d) {
  means result;
  auto batches = stream<T>(m, d);
  for (index_t i = 0; i < batches.count(); ++i) {
    auto const batch = batches.next();
    auto const& [x, labels] = batch.tensors;
    auto [l, h] = test_step(p, x, labels, batch.template weights<T, row_layout>());
    result.add(l, h, batch.examples);
  }
  return result;
}
// [evaluate]

// Images of 28 x 28 bytes and a digit for each, which rank 0 looks through.
void check_digits(communicator const& c, dataset const& d, std::string const& name) {
  array_source const &images = d.arrays()[0], &labels = d.arrays()[1];
  comm::on_root(c, [&] {
    auto const extents = images.example_extents();
    if (!std::ranges::equal(extents, std::array<index_t, 2>{28, 28}) || labels.size() != 1 || images.examples() < 1)
      throw error("mirrored: " + name + ": expected images of 28 x 28 bytes, one or more, and a label of one byte for each; name a folder with MNIST's files");
    for (index_t i = 0; i < labels.examples(); ++i)
      if (std::uint8_t byte = 0, label = *labels.read(i, 0, 1, &byte); label > 9)
        throw error("mirrored: " + name + ": expected labels 0 to 9, found " + std::to_string(label) + " at index " + std::to_string(i) + "; name a folder with MNIST's files");
    std::printf("%s: %ld images\n", name.c_str(), static_cast<long>(images.examples()));
  });
}

// [open]
struct digit_files {
  dataset training, test;
};
// What files hold is read when it is needed, by the rank that needs it; of gzipped ones, and synthetic digits, all ranks have all.
digit_files open_digits(communicator const& c, options const& o) {
  if (o.data.empty()) {
    digit_data drawn = load_digits(c, o);
    return {from_arrays(std::move(drawn.train_images), std::move(drawn.train_labels)), from_arrays(std::move(drawn.test_images), std::move(drawn.test_labels))};
  }
  auto const open = [&](std::string const& part) {
    auto const name = std::filesystem::path(o.data) / part;
    dataset const d = from_arrays(open_idx(c, name.string() + "-images-idx3-ubyte"), open_idx(c, name.string() + "-labels-idx1-ubyte"));
    check_digits(c, d, name.string());
    return d;
  };
  return {open("train"), open("t10k")};
}
// [open]

// How many examples there are, and the checksum of their bytes, where a checkpoint is to say so: rank 0 reads them once.
conditions conditions_of(communicator const& c, options const& o, dataset const& d) {
  index_t sum = 0;
  if (o.checkpoint.empty()) return {};
  comm::on_root(c, [&] {
    std::uint32_t bytes = 0;
    for (array_source const& a : d.arrays()) {
      std::vector<std::uint8_t> scratch(static_cast<std::size_t>(a.size()));
      for (index_t i = 0; i < a.examples(); ++i) bytes = crc32c(bytes, a.read(i, 0, a.size(), scratch.data()), scratch.size());
    }
    sum = bytes;
  });
  comm::broadcast(c, &sum, 1, 0);
  return {.examples = d.examples(), .checksum = sum};
}

template <class T>
int train(device_mesh<grid> const& m, options const& o) {
  bool const root = m.rank() == 0;
  prng_key const key = o.seed;
  auto const [training, test] = open_digits(m.communicator(), o);

  // [data]
  index_t const validation_images = std::clamp<index_t>(training.examples() / 6, 1, 10000);
  auto const [validation, rest] = training.split(validation_images, fold_in(key, 1));
  auto const ordered = o.shuffle ? rest.shuffle(fold_in(key, 2)) : rest;
  auto const train_data = ordered.cache().batch(o.batch, last_batch::padded).prefetch(2);
  auto const validation_data = validation.cache().batch(o.batch, last_batch::padded).prefetch(2);
  auto const test_data = test.batch(o.batch, last_batch::padded).prefetch(2);
  // [data]

  // [variables]
  auto p = init<mirrored_variables, T>(m, model, fold_in(key, 0));
  auto state = optimizer.init(p);
  // [variables]
  if (root) std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { dry_train_step<T>(a, o.batch); }) << std::endl;

  // [fit]
  auto batches = stream<T>(m, train_data);
  auto saved = o.checkpoints(m.communicator(), conditions_of(m.communicator(), o, training), true);  // true: each epoch's stays
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(batches.examples()));
  batches.seek({run.at().epoch, run.at().batch});  // the beginning, or the position of a run that has ended
  auto const take = [&](auto&, data_position const& at) {
    auto const batch = batches.next();
    auto const& [x, labels] = batch.tensors;
    auto [l, h] = train_step(p, state, x, labels, batch.template weights<T, row_layout>(), T(o.dropout), fold_in(fold_in(key, 3), static_cast<std::uint64_t>(at.step)));
    return step_result{item(l), static_cast<double>(item(h)), batch.examples};
  };
  auto const on_validation = [&] {
    means const v = evaluate<T>(m, p, validation_data);
    return std::vector{v.loss.value(), v.accuracy.value()};
  };
  run.go_on(saved, [&](index_t) -> auto& { return batches; }, take, on_validation, p, state);
  // [fit]
  require_equal_replicas(m, p);
  means const reached = evaluate<T>(m, p, test_data);
  if (root) std::printf("\ntest loss: %.4f\ntest accuracy: %.4f\n", reached.loss.value(), reached.accuracy.value());
  return 0;
}

int run(options o) {
  o.run.columns = {"loss", "accuracy", "val_loss", "val_accuracy"};
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
  if (m.rank() == 0) std::printf("mesh data=%d: %d replicas in sync\n", o.size[0], m.size());
  return o.precision == 1 ? train<double>(m, o) : train<float>(m, o);
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
