// A training run: what it writes is the same however often it was interrupted; and replicas that differ.
#include "ashlar/train/training_run.hpp"
#include "ashlar/train/replicas.hpp"
#include "support/dense.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::training;
using test::said;
using test::shared_folder;

namespace {

std::string text_of(shared_folder const& f, char const* name) {
  comm::collectively(f.ranks, [] {});
  std::ifstream file(f.path / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  comm::collectively(f.ranks, [] {});
  return text.str();
}

// Keeps the position behind a step, as a checkpoint does.
struct kept_position {
  index_t step;
  data_position at{};
  int calls = 0;
  void after_step(data_position const& now) {
    ++calls;
    if (now.step == step) at = now;
  }
};

// Epochs of three batches of four examples.
data_position train(shared_folder const& f, run_options o, kept_position& saved, data_position const& from) {
  o.losses = f.path / "losses", o.log = f.path / "log.csv", o.shown = false;
  o.columns = {"loss", "accuracy", "epochs"};
  training_run run(f.ranks, o, from, 12);
  double evaluated = static_cast<double>(from.epoch);
  for (index_t epoch = from.epoch; run.goes_on(); ++epoch)
    for (index_t batch = run.at().batch; batch < 3 && run.goes_on(); ++batch) {
      CHECK(run.at().epoch == epoch);
      CHECK(run.at().batch == batch);
      step_result const result{1. / static_cast<double>(run.at().step + 1), static_cast<double>(batch), 4};
      run.after_step(result, 3, [&] { return std::vector{++evaluated}; });
      saved.after_step(run.at());
    }
  run.finish();
  return run.at();
}

struct value_of {
  double value;
  KOKKOS_FUNCTION double operator()(index_t i) const { return value + static_cast<double>(i); }
};

}  // namespace

TEST_CASE("training_run: a run that goes on leaves the files of one in one piece") {
  shared_folder const whole, interrupted;
  kept_position saved{.step = 4};
  data_position const end = train(whole, {.epochs = 3}, saved, {});
  CHECK(end.step == 9);
  CHECK(end.epoch == 3);
  CHECK(saved.calls == 9);
  std::string const losses = text_of(whole, "losses");
  CHECK(losses.starts_with("1\n0.5\n0.33333333333333331\n"));
  CHECK(std::count(losses.begin(), losses.end(), '\n') == 9);
  std::string const log = text_of(whole, "log.csv");
  CHECK(log.starts_with("epoch,loss,accuracy,epochs\n1,0.6111111111"));
  CHECK(log.find(",0.25,1\n2,") != log.npos);

  // It saves behind step 4, goes on for 2 steps, is killed, and goes on from step 4.
  kept_position again{.step = 4};
  CHECK(train(interrupted, {.epochs = 3, .steps = 6}, again, {}).step == 6);
  CHECK(again.at.step == 4);
  kept_position last{.step = 0};
  CHECK(train(interrupted, {.epochs = 3}, last, again.at).step == 9);
  CHECK(last.calls == 5);
  CHECK(text_of(interrupted, "losses") == losses);
  CHECK(text_of(interrupted, "log.csv") == text_of(whole, "log.csv"));
}

TEST_CASE("training_run: a run at its end takes no step, and a file that lacks losses is refused") {
  shared_folder const f;
  kept_position saved{.step = 3};
  data_position const end = train(f, {.epochs = 1}, saved, {});
  CHECK(train(f, {.epochs = 1}, saved, end).step == 3);
  CHECK(saved.calls == 3);
  CHECK(!said([&] { train(f, {.epochs = 9}, saved, {.step = 7, .epoch = 2, .batch = 1}); }).empty());
  std::string const text = said([&] { number_log(f.ranks, f.path / "losses", 7); });
  CHECK_MESSAGE(text.find("expected the losses of the 7 steps before, found 3;") != text.npos, text);
  std::string const missing = said([&] { number_log(f.ranks, f.path / "no" / "losses"); });
  CHECK_MESSAGE(missing.find("cannot be opened: No such file") != missing.npos, missing);
  number_log const first(f.ranks, f.path / "losses", 3);
  std::string const both = said([&] { number_log(f.ranks, f.path / "losses", 3); });
  CHECK_MESSAGE(both.find("another run writes this file") != both.npos, both);
}

TEST_CASE("require_equal_replicas: one rank's shard that differs from its replica is an error on all") {
  using grid = mesh<axis<"data">, axis<"model">>;
  int const ranks = test::world_size();
  bool const pairs = ranks % 2 == 0;
  device_mesh<grid> const m(MPI_COMM_WORLD, {pairs ? 2 : 1, pairs ? ranks / 2 : ranks});
  auto const tree = [&](double wrong) {
    return std::tuple(generate<double, layout<"model">>(m, {40}, value_of{m.rank() == ranks - 1 ? wrong : 0.}),
                      generate<double, layout<"data">>(m, {7}, value_of{3}));
  };
  CHECK(said([&] { require_equal_replicas(m, tree(0)); }).empty());
  std::string const text = said([&] { require_equal_replicas(m, tree(1e-9)); });
  // Without pairs no other rank has this shard.
  CHECK_MESSAGE(
      pairs == (text.find("ashlar::training::require_equal_replicas: the checksums of the parameters") != text.npos),
      text);
}
