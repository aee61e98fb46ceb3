// Training programs that go on where an earlier run ended: --checkpoint FOLDER --every N --keep K.
#pragma once
#ifdef ASHLAR_EXAMPLES_CHECKPOINT  // where the build found HDF5
#include <ashlar/train/checkpoints.hpp>
#endif

#include <charconv>
#include <filesystem>
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

/// What a run's numbers depend on. Meshes and strategies round otherwise and no more, so they are not part of it, but for
/// what is computed by shard.
struct run_conditions {
  ashlar::index_t batch = 0, examples = 0, checksum = 0;
  ashlar::prng_key seed{};
  bool shuffled = true;
  double dropout = 0;
  ashlar::index_t microbatches = 0;  // each has a key for its dropout; 0 without
  ashlar::index_t shards = 1;        // of a batch, that are normalised each by itself
  ashlar::index_t schedule = 0;      // steps over which the rate is led; 0 without
  static constexpr auto fields = ashlar::names("batch", "examples", "checksum", "seed", "shuffled", "dropout", "microbatches", "shards", "schedule");

  run_conditions() = default;
  run_conditions(options const& o, training_set const& data)
      : batch(o.batch), examples(data.examples), checksum(data.checksum), seed{o.seed}, shuffled(o.shuffle), dropout(o.dropout),
        microbatches(o.dropout > 0 ? o.microbatches : 0), shards(o.per_shard ? o.size[0] : 1), schedule(data.schedule) {}

  /// Error: ashlar::error where a run that goes on has other ones.
  void require(run_conditions const& now) const {
    auto const same = [&](char const* option, auto of) {
      if (std::string const expected = of(*this), found = of(now); expected != found) refuse(option, found, expected + ", as in the run of the checkpoint");
    };
    using self = run_conditions const&;
    same("batch", [](self c) { return std::to_string(c.batch); });
    same("seed", [](self c) { return std::to_string(c.seed.value); });
    if (auto const before = data_text(), given = now.data_text(); before != given)
      throw ashlar::error("--data: a run goes on with the data that it began with, " + before + ", and found " + given + "; name their folder, or another --checkpoint to begin anew");
    same("no-shuffle", [](self c) { return c.shuffled ? "examples in another order each epoch, without the option" : "examples as they are stored, by the option"; });
    same("dropout", [](self c) { return shortest(c.dropout); });
    same("microbatches", [](self c) { return std::to_string(c.microbatches); });
    same("batch-norm", [](self c) { return c.shards == 1 ? "global" : "shard on --mesh data=" + std::to_string(c.shards); });
    same("epochs", [](self c) { return c.schedule == 0 ? "any number, without a schedule" : "a schedule of " + std::to_string(c.schedule) + " steps"; });
  }

 private:
  std::string data_text() const {
    char sum[16];
    std::snprintf(sum, sizeof sum, "%08lx", static_cast<unsigned long>(checksum));
    return std::to_string(examples) + " examples of checksum " + sum;
  }
  // The shortest text that no other number has.
  static std::string shortest(double x) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
  }
};

/// Where in its data a run is: so many steps done, the next batch, and what the epoch came to so far, in earlier runs too.
struct data_position {
  ashlar::index_t step = 0, epoch = 0, batch = 0;
  epoch_sums sums{};  // at an epoch's end, where the next batch is the first of another, still that epoch's
  static constexpr auto fields = ashlar::names("step", "epoch", "batch", "sums");

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
  /// each_epoch: the last checkpoint of an epoch stays, as ckpt-1.h5 and so on.
  run_checkpoints(ashlar::communicator const& c, options const& o, training_set const& data = {}, bool each_epoch = false)
      : options_(o), ranks_(c), conditions_(o, data), each_epoch_(each_epoch) {
    if (!o.checkpoint.empty()) folder_.emplace(c, o.checkpoint, ashlar::checkpoint_options{.every = o.every, .keep = o.keep, .asynchronous = o.asynchronous});
  }
  /// Gives the trees the values of the newest good checkpoint, and says where its run was.
  /// Error: ashlar::error on every rank where that run had other data, or options on which its numbers depend.
  template <class... X>
  data_position resume(X&... trees) {
    data_position at;
    run_conditions of;
    if (!folder_ || !with_parts([&](auto const&... parts) { return resume_from(parts...); }, at, of, trees...)) return {};
    of.require(conditions_);
    if (ranks_.rank() == 0) std::printf("goes on from step %ld, in %s\n", static_cast<long>(at.step), options_.checkpoint.c_str());
    if (each_epoch_ && at.batch == 0 && epochs_kept() < at.epoch) ended_ = at;  // that run was killed before its checkpoint had the other name
    return at;
  }
  /// After every step: saves every so many, and at the end of an epoch.
  template <class... X>
  void after_batch(data_position const& at, X const&... trees) {
    if (!folder_) return;
    bool const ends = at.batch == 0;
    if (ends || folder_->due(at.step)) keep_ended();
    with_parts([&](auto const&... parts) { ends ? folder_->save(at.step, parts...) : folder_->after_step(at.step, parts...); }, at, conditions_, trees...);
    if (ends && each_epoch_) ended_ = at;
    if (!options_.asynchronous) keep_ended();
  }
  void finish() {
    keep_ended();
    if (folder_) folder_->finish();
  }

 private:
  template <class F, class At, class Of, class P, class S, class... Other>
  static auto with_parts(F f, At& at, Of& of, P& parameters, S& state, Other&... other) {
    return f(ashlar::part("parameters", parameters), ashlar::part("optimizer", state), ashlar::part("variables", other)..., ashlar::part("data", at), ashlar::part("run", of));
  }
  std::filesystem::path of_epoch(ashlar::index_t epoch) const { return std::filesystem::path(options_.checkpoint) / ("ckpt-" + std::to_string(epoch) + ".h5"); }

  // Another name of the same file: nothing is written twice, and the threads that write it are not waited for before the next save.
  void keep_ended() {
    if (!ended_) return;
    folder_->finish();
    ashlar::comm::on_root(ranks_, [&] {
      auto const name = of_epoch(ended_->epoch), part = std::filesystem::path(name.string() + ".part"), file = folder_->file_of(ended_->step);
      std::error_code failed;
      std::filesystem::remove(part, failed);
      std::filesystem::create_hard_link(file, part, failed);
      if (failed) std::filesystem::copy_file(file, part);  // a file system without links
      std::filesystem::rename(part, name);
      std::filesystem::remove(part, failed);  // two names of one file are not renamed
    });
    ended_.reset();
  }

  // From the newest good one; where all that are newer are damaged, from that of the last epoch that is good.
  template <class... Part>
  bool resume_from(Part const&... parts) {
    if (!each_epoch_) return folder_->resume(parts...).has_value();
    std::optional<ashlar::error> damage;
    try {
      if (folder_->resume(parts...)) return true;
    } catch (ashlar::error const& e) {
      damage = e;
    }
    for (ashlar::index_t epoch = epochs_kept(); epoch > 0; --epoch) {
      try {
        ashlar::load_checkpoint(of_epoch(epoch), ranks_, parts...);
        return true;
      } catch (ashlar::error const& e) {
        if (!damage) damage = e;
      }
    }
    if (damage) throw *damage;
    return false;
  }
  // The last epoch that has a checkpoint of its own, or 0.
  ashlar::index_t epochs_kept() const {
    ashlar::index_t last = 0;
    ashlar::comm::on_root(ranks_, [&] {
      for (auto const& e : std::filesystem::directory_iterator(options_.checkpoint)) {
        std::string const name = e.path().filename().string();
        ashlar::index_t epoch = 0;
        if (name.starts_with("ckpt-") && std::from_chars(name.data() + 5, name.data() + name.size(), epoch).ptr == name.data() + name.size() - 3) last = std::max(last, epoch);
      }
    });
    ashlar::comm::broadcast(ranks_, &last, 1, 0);
    return last;
  }

  options const& options_;
  ashlar::communicator ranks_;
  run_conditions conditions_;
  bool each_epoch_;
  std::optional<data_position> ended_;  // an epoch whose checkpoint is to have its other name
  std::optional<ashlar::checkpoints> folder_;
};
// [resuming]
#else
class run_checkpoints {
 public:
  run_checkpoints(ashlar::communicator const&, options const& o, training_set const& = {}, bool = false) {
    if (!o.checkpoint.empty()) throw ashlar::error("--checkpoint: this program was built without HDF5; install it and configure again");
  }
  template <class... X>
  data_position resume(X&...) {
    return {};
  }
  template <class... X>
  void after_batch(data_position const&, X const&...) {}
  void finish() {}
};
#endif
