// Runs from a checkpoint to their end: the batches in an order or of a stream that the steps are given.
#include "ashlar/train/resume_and_train.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/train.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">>;
run_options const silent{.epochs = 3, .shown = false};

// Resumes at a position, with the tree's value then, and keeps the last position that it is told.
struct checkpoint_at {
  data_position begin;
  data_position last{};
  int finished = 0;
  data_position resume(int& tree) const {
    tree = static_cast<int>(begin.step);
    return begin;
  }
  void after_step(data_position const& at, int const& tree) {
    CHECK(tree == at.step);
    last = at;
  }
  void finish() { ++finished; }
};

dataset eleven() {
  idx_array images{{11, 2}, {}}, labels{{11}, {}};
  for (int e = 0; e < 11; ++e) {
    for (int i = 0; i < 2; ++i) images.bytes.push_back(static_cast<std::uint8_t>(10 * e + i));
    labels.bytes.push_back(static_cast<std::uint8_t>(e));
  }
  return from_arrays(images, labels).shuffle(prng_key{5}).batch(4);
}

// The labels of all batches from a position to the end, in order.
std::vector<std::int32_t> labels_from(device_mesh<grid> const& m, data_position const& begin) {
  auto batches = labelled_stream<double, layout<"data", none>, layout<"data">>(m, eleven(), 0.5);
  std::vector<std::int32_t> seen;
  int tree = 0;
  auto const step = [&](auto const& batch, data_position const& at) {
    CHECK(batch.at == batch_position{at.epoch, at.batch});
    auto const& [x, y] = batch.tensors;
    auto const labels = gather_all(y);
    auto const pixels = gather_all(x);
    for (std::size_t i = 0; i < labels.size(); ++i) CHECK(pixels[2 * i + 1] == 0.5 * (10 * labels[i] + 1));
    seen.insert(seen.end(), labels.begin(), labels.end());
    ++tree;
    return step_result{1, 0, batch.examples};
  };
  checkpoint_at saved{begin};
  data_position const from =
      resume_and_train(m.communicator(), silent, saved, batches, batches.examples(), step, nothing_else, tree);
  CHECK(from.step == begin.step);
  CHECK(tree == 9);
  CHECK(saved.finished == 1);
  return seen;
}

}  // namespace

TEST_CASE("resume_and_train: a stream continues at the position of the run") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  std::vector<std::int32_t> const whole = labels_from(m, {});
  CHECK(whole.size() == 33);
  std::vector<std::int32_t> const rest = labels_from(m, {.step = 4, .epoch = 1, .batch = 1});
  CHECK(rest == std::vector(whole.begin() + 15, whole.end()));
  CHECK(labels_from(m, {.step = 9, .epoch = 3, .batch = 0}).empty());
}

TEST_CASE("resume_and_train: an order gives the batches of each epoch") {
  communicator const c(MPI_COMM_WORLD);
  std::vector<index_t> epochs;
  auto const order = [&](index_t epoch) {
    epochs.push_back(epoch);
    return shuffled_batches(11, 4, prng_key{1}, epoch);
  };
  int tree = 0;
  auto const step = [&](shuffled_batches const& batches, data_position const& at) {
    ++tree;
    return step_result{1, 0, batches.size(at.batch)};
  };
  checkpoint_at saved{{.step = 2, .epoch = 0, .batch = 2}};
  CHECK(resume_and_train(c, silent, saved, order, 11, step, nothing_else, tree).batch == 2);
  CHECK(epochs == std::vector<index_t>{0, 1, 2});
  CHECK(saved.last.step == 9);
  CHECK(saved.last.epoch == 3);
  CHECK(resume_and_train(c, silent, no_checkpoints{}, order, 11, step, nothing_else, tree).step == 0);
  CHECK(tree == 9 + 9);
}
