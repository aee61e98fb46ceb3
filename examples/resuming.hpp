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
/// came to so far, that of a later run included.
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
class run_checkpoints {
 public:
  run_checkpoints(ashlar::communicator const& c, options const& o) : options_(o), ranks_(c) {
    if (!o.checkpoint.empty()) folder_.emplace(c, o.checkpoint, ashlar::checkpoint_options{.every = o.every, .keep = o.keep, .asynchronous = o.asynchronous});
  }
  /// Gives the parameters and the optimizer's state the values of the newest good checkpoint, and says where its run was.
  template <class P, class S>
  data_position resume(P& parameters, S& state) {
    data_position const begin{.batch_size = options_.batch, .key = {options_.seed}};
    data_position at = begin;
    if (!folder_ || !folder_->resume(ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("data", at))) return begin;
    auto const same = [](char const* option, auto expected, auto found) {
      if (expected != found) refuse(option, std::to_string(found), std::to_string(expected) + ", as in the run of the checkpoint");
    };
    same("batch", at.batch_size, begin.batch_size);
    same("seed", at.key.value, begin.key.value);
    return at;
  }
  template <class P, class S>
  void after_step(data_position const& at, P const& parameters, S const& state) {
    if (folder_) folder_->after_step(at.step, ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("data", at));
  }
  /// The same after any number of steps.
  template <class P, class S>
  void save(data_position const& at, P const& parameters, S const& state) {
    if (folder_) folder_->save(at.step, ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("data", at));
  }
  /// After an epoch, whatever its steps: as ckpt-1.h5 and so on, which stay, and then as one of the newest.
  template <class P, class S>
  void after_epoch(data_position const& at, P const& parameters, S const& state) {
    if (folder_)
      ashlar::save_checkpoint(std::filesystem::path(options_.checkpoint) / ("ckpt-" + std::to_string(at.epoch) + ".h5"), ranks_, at.step,
                              ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("data", at));
    save(at, parameters, state);
  }
  void finish() {
    if (folder_) folder_->finish();
  }

 private:
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
  template <class P, class S>
  data_position resume(P&, S&) {
    return begin_;
  }
  template <class P, class S>
  void after_step(data_position const&, P const&, S const&) {}
  template <class P, class S>
  void save(data_position const&, P const&, S const&) {}
  template <class P, class S>
  void after_epoch(data_position const&, P const&, S const&) {}
  void finish() {}

 private:
  data_position begin_;
};
#endif
