// Training programs that go on where an earlier run ended: --checkpoint FOLDER --every N --keep K.
#pragma once
#ifdef ASHLAR_EXAMPLES_CHECKPOINT  // where the build found HDF5
#include <ashlar/train/checkpoints.hpp>
#endif

#include <optional>

#include "options.hpp"
#include "training.hpp"

/// What the steps of an epoch came to so far: sums over its examples, and their means.
struct epoch_sums {
  double loss_sum = 0, hits = 0;
  ashlar::index_t examples = 0;
  static constexpr auto fields = ashlar::names("loss_sum", "hits", "examples");

  double loss() const { return examples == 0 ? 0 : loss_sum / static_cast<double>(examples); }
  double accuracy() const { return examples == 0 ? 0 : hits / static_cast<double>(examples); }
};

/// Where in its data a run is: so many steps done, the next batch, what the order of the data depends on, and what the epoch
/// came to so far, in earlier runs too.
struct data_position {
  ashlar::index_t step = 0, epoch = 0, batch = 0, batch_size = 0;
  ashlar::prng_key key{};
  epoch_sums sums{};  // at an epoch's end, where the next batch is the first of another, still that epoch's
  static constexpr auto fields = ashlar::names("step", "epoch", "batch", "batch_size", "key", "sums");

  /// Takes in the mean loss of the next batch, and how many of its examples were recognised.
  void add(double loss, double hits, ashlar::index_t examples) {
    if (batch == 0) sums = {};
    sums.loss_sum += loss * static_cast<double>(examples);
    sums.hits += hits;
    sums.examples += examples;
  }
  /// Behind one step more. False where that was the last of its epoch.
  bool advance(ashlar::index_t batches) {
    ++step;
    if (++batch < batches) return true;
    ++epoch, batch = 0;
    return false;
  }
};

#ifdef ASHLAR_EXAMPLES_CHECKPOINT
// [resuming]
/// Trees are the parameters, the optimizer's state and, where a network has such, other variables.
class run_checkpoints {
 public:
  run_checkpoints(ashlar::communicator const& c, options const& o) : options_(o), ranks_(c) {
    if (!o.checkpoint.empty()) folder_.emplace(c, o.checkpoint, ashlar::checkpoint_options{.every = o.every, .keep = o.keep, .asynchronous = o.asynchronous});
  }
  /// Gives the trees the values of the newest good checkpoint, and says where its run was.
  template <class... X>
  data_position resume(X&... trees) {
    data_position const begin{.batch_size = options_.batch, .key = {options_.seed}};
    data_position at = begin;
    if (!folder_ || !with_parts([&](auto const&... parts) { return folder_->resume(parts...); }, at, trees...)) return begin;
    auto const same = [](char const* option, auto expected, auto found) {
      if (expected != found) refuse(option, std::to_string(found), std::to_string(expected) + ", as in the run of the checkpoint");
    };
    same("batch", at.batch_size, begin.batch_size);
    same("seed", at.key.value, begin.key.value);
    if (ranks_.rank() == 0) std::printf("goes on from step %ld, in %s\n", static_cast<long>(at.step), options_.checkpoint.c_str());
    return at;
  }
  template <class... X>
  void after_step(data_position const& at, X const&... trees) {
    if (folder_) with_parts([&](auto const&... parts) { folder_->after_step(at.step, parts...); }, at, trees...);
  }
  /// The same after any number of steps.
  template <class... X>
  void save(data_position const& at, X const&... trees) {
    if (folder_) with_parts([&](auto const&... parts) { folder_->save(at.step, parts...); }, at, trees...);
  }
  /// After every step: saves every so many, and at the end of an epoch.
  template <class... X>
  void after_batch(data_position const& at, X const&... trees) {
    if (at.batch > 0)
      after_step(at, trees...);
    else
      save(at, trees...);
  }
  /// After an epoch, whatever its steps: as ckpt-1.h5 and so on, which stay, and then as one of the newest.
  template <class... X>
  void after_epoch(data_position const& at, X const&... trees) {
    auto const path = std::filesystem::path(options_.checkpoint) / ("ckpt-" + std::to_string(at.epoch) + ".h5");
    if (folder_) with_parts([&](auto const&... parts) { ashlar::save_checkpoint(path, ranks_, at.step, parts...); }, at, trees...);
    save(at, trees...);
  }
  void finish() {
    if (folder_) folder_->finish();
  }

 private:
  template <class F, class At, class P, class S, class... Other>
  static auto with_parts(F f, At& at, P& parameters, S& state, Other&... other) {
    return f(ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("variables", other)..., ashlar::part("data", at));
  }

  options const& options_;
  ashlar::communicator ranks_;
  std::optional<ashlar::checkpoints> folder_;
};
// [resuming]
#else
class run_checkpoints {
 public:
  run_checkpoints(ashlar::communicator const&, options const& o) : begin_{.batch_size = o.batch, .key = {o.seed}} {
    if (!o.checkpoint.empty()) throw ashlar::error("--checkpoint: this program was built without HDF5; install it and configure again");
  }
  template <class... X>
  data_position resume(X&...) {
    return begin_;
  }
  template <class... X>
  void after_step(data_position const&, X const&...) {}
  template <class... X>
  void save(data_position const&, X const&...) {}
  template <class... X>
  void after_batch(data_position const&, X const&...) {}
  template <class... X>
  void after_epoch(data_position const&, X const&...) {}
  void finish() {}

 private:
  data_position begin_;
};
#endif
