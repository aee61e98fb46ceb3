// Checkpoints of a training run: it goes on where it ended, and other conditions are refused.
#include "ashlar/checkpoint/run_checkpoints.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using test::said;
using testing::shared_folder;
using line = mesh<axis<"x">>;

namespace {

struct conditions {
  index_t batch = 4;
  prng_key seed{7};
  double dropout = 0.25;
  bool shuffled = true;
  static constexpr auto names = ashlar::names("batch", "seed", "dropout", "shuffled");
};
struct value_of {
  double value;
  KOKKOS_FUNCTION double operator()(index_t i) const { return value + static_cast<double>(i); }
};

struct run {
  device_mesh<line> m{MPI_COMM_WORLD, {testing::ranks()}};
  sharded_tensor<double, layout<"x">, line> p = at_step(0), moments = at_step(0);
  data_position at{};

  sharded_tensor<double, layout<"x">, line> at_step(index_t n) const {
    return generate<double, layout<"x">>(m, {300}, value_of{1000. * static_cast<double>(n)});
  }
  void train_step() { p = at_step(at.step + 1), moments = at_step(2 * at.step); }  // its numbers tell the step
  // [run]
  // Trains for so many epochs of 5 steps, saves, and goes on where an earlier run in the folder has ended.
  void train(std::filesystem::path const& folder, index_t epochs, index_t most_steps, run_checkpoint_options const& o) {
    run_checkpoints saved(m.communicator(), folder, conditions{.batch = 4, .seed = {7}}, o);
    at = saved.resume(p, moments);
    while (at.epoch < epochs && at.step < most_steps) {
      train_step();  // of the program: writes p and moments
      at.add(0.5, 3, 4);
      at.advance(5);
      saved.after_step(at, p, moments);
    }
    saved.finish();
  }
  // [run]
  bool right() const {
    return gather_all(p) == gather_all(at_step(at.step)) &&
           gather_all(moments) == gather_all(at_step(2 * (at.step - 1)));
  }
};

}  // namespace

TEST_CASE("run_checkpoints: a run goes on in the middle of an epoch, with the sums of its epoch") {
  for (bool const asynchronous : {false, true}) {
    shared_folder const folder;
    run_checkpoint_options const o{
        .every = 3, .keep = 2, .asynchronous = asynchronous, .shown = false, .each_epoch = true};
    run first;
    first.train(folder.path, 4, 13, o);
    CHECK(first.at.step == 13);

    run second;
    run_checkpoints saved(second.m.communicator(), folder.path, conditions{}, o);
    second.at = saved.resume(second.p, second.moments);
    CHECK(second.at.step == 12);
    CHECK(second.at.epoch == 2);
    CHECK(second.at.batch == 2);
    CHECK(second.at.sums.examples == 8);
    CHECK(second.at.sums.loss() == 0.5);
    CHECK(second.at.sums.metric() == 0.75);
    CHECK(second.right());

    run third;
    third.train(folder.path, 4, 1000, o);
    CHECK(third.at.step == 20);
    CHECK(third.at.epoch == 4);
    CHECK(third.at.sums.examples == 20);
    CHECK(third.right());
    for (char const* name : {"ckpt-1.h5", "ckpt-2.h5", "ckpt-3.h5", "ckpt-4.h5", "step_000000000020.h5"})
      CHECK(std::filesystem::exists(folder.path / name));
    CHECK(!std::filesystem::exists(folder.path / "step_000000000012.h5"));
  }
}

TEST_CASE("run_checkpoints: the last step of a run is saved, whether or not a checkpoint is due") {
  shared_folder const folder;
  run_checkpoint_options const o{.every = 1000, .shown = false};
  run first;
  run_checkpoints saved(first.m.communicator(), folder.path, conditions{}, o);
  first.at.step = 7, first.at.batch = 2;
  first.p = first.at_step(7), first.moments = first.at_step(12);
  for (int twice = 0; twice < 2; ++twice) saved.after_last_step(first.at, first.p, first.moments);
  saved.finish();
  run second;
  run_checkpoints again(second.m.communicator(), folder.path, conditions{}, o);
  second.at = again.resume(second.p, second.moments);
  CHECK(second.at.step == 7);
  CHECK(second.right());
  again.after_last_step(second.at, second.p, second.moments);  // of a run that has had no step since
  CHECK(checkpoints(second.m.communicator(), folder.path).steps() == std::vector<index_t>{7});
}

TEST_CASE("run_checkpoints: the last good epoch serves if all newer checkpoints are damaged") {
  shared_folder const folder;
  run_checkpoint_options const o{.every = 3, .keep = 2, .shown = false, .each_epoch = true};
  run first;
  first.train(folder.path, 2, 8, o);
  comm::on_root(folder.ranks, [&] {
    for (auto const& e : std::filesystem::directory_iterator(folder.path))
      if (e.path().extension() == ".h5" && e.path().filename().string().starts_with("step_")) {
        std::filesystem::copy_file(e.path(),
                                   e.path().string() + ".copy");  // an epoch's checkpoint may be the same file
        std::filesystem::rename(e.path().string() + ".copy", e.path());
        std::filesystem::resize_file(e.path(), 100);
      }
  });
  run second;
  run_checkpoints saved(second.m.communicator(), folder.path, conditions{}, o);
  second.at = saved.resume(second.p, second.moments);
  CHECK(second.at.step == 5);
  CHECK(second.at.batch == 0);
  CHECK(second.right());
}

TEST_CASE("run_checkpoints: other conditions are an error on every rank, and an empty folder saves nothing") {
  shared_folder const folder;
  run_checkpoint_options const o{.every = 1, .shown = false};
  run first;
  first.train(folder.path, 1, 2, o);
  auto const resumed = [&](conditions const& c) {
    run r;
    run_checkpoints saved(r.m.communicator(), folder.path, c, o);
    std::string const text = said([&] { saved.resume(r.p, r.moments); }), called_at = std::to_string(__LINE__);
    if (!text.empty()) CHECK_SAYS(text, "; called at run_checkpoints.cpp:" + called_at);
    return text;
  };
  CHECK(resumed({}).empty());
  CHECK_SAYS(resumed({.batch = 5}),
             "ashlar::io::run_checkpoints: batch: expected 4, as in the run of the checkpoint, found 5;");
  CHECK_SAYS(resumed({.seed = {8}}), "seed: expected 7, as in the run of the checkpoint, found 8;");
  CHECK_SAYS(resumed({.dropout = 0.1}), "dropout: expected 0.25, as in the run of the checkpoint, found 0.1;");
  CHECK_SAYS(resumed({.shuffled = false}), "shuffled: expected true, as in the run of the checkpoint, found false;");

  run nothing;
  nothing.train("", 1, 5, o);
  CHECK(nothing.at.step == 5);
  nothing.train("", 1, 2, o);
  CHECK(nothing.at.step == 2);
}
