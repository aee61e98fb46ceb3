// The loop of a training program: epochs of steps, begun or gone on with, and what a user sees of them.
#pragma once
#include <ashlar/train/history.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resuming.hpp"
#include "training.hpp"

/// What a user sees of the epochs of a run: a bar with the time left while one runs, a table of all at the end, and the file of
/// --log, a line an epoch. A run that was ended and resumed leaves the file of one that was not.
/// Collective: all members
class epoch_display {
  using index_t = ashlar::index_t;

 public:
  epoch_display(ashlar::communicator const& c, options const& o, data_position const& at, index_t examples, std::string metric)
      : metric_(std::move(metric)), table_({"epoch", "loss", metric_}), bar_(stdout, c.rank() == 0, o.epochs, examples_shown(o, examples)) {
    if (!o.log.empty()) log_.emplace(c, o.log, std::vector<std::string>{"epoch", "loss", metric_}, static_cast<double>(at.epoch) + 1);
  }
  void begin(index_t epoch) {
    epoch_ = static_cast<int>(epoch) + 1;
    bar_.start_epoch(epoch_);
    start_ = clock::now();
    taken_ = 0;
  }
  /// After each step: so many examples more, and what the epoch has come to.
  void show(index_t examples, epoch_sums const& so_far) {
    taken_ += examples;
    bar_.show(so_far.examples, [&] {
      char text[160];
      std::chrono::duration<double> const seconds = clock::now() - start_;
      std::snprintf(text, sizeof text, "loss %.4f  %s %.4f  %6.0f examples/s", so_far.loss(), metric_.c_str(), so_far.accuracy(), static_cast<double>(taken_) / seconds.count());
      return std::string(text);
    });
  }
  /// At an epoch's end, or where a run ends within one.
  void end(epoch_sums const& sums) {
    table_.add({static_cast<double>(epoch_), sums.loss(), sums.accuracy()});
    if (log_) log_->add(table_.rows().back());
  }
  std::string table() const { return table_.text(); }

 private:
  using clock = std::chrono::steady_clock;
  std::string metric_;
  ashlar::epoch_table table_;
  std::optional<ashlar::csv_log> log_;
  ashlar::progress bar_;
  int epoch_ = 0;
  index_t taken_ = 0;
  clock::time_point start_{};
};

/// A run over the options' epochs, or steps, from the newest checkpoint on where they name a folder of some.
/// Collective: construction and run. Pre: parameters and state outlive it
template <class P, class S>
class training {
 public:
  training(ashlar::communicator const& c, program const& of, options const& o, P& p, S& s)
      : ranks_(c), options_(o), parameters_(p), state_(s), files_(c, of, o), checkpoints_(c, o), at_(checkpoints_.resume(p, s)) {}

  /// Takes in epochs of so many examples. order(epoch) are an epoch's batches, with count() and size(batch); take(batches, at)
  /// takes the step of batch at.batch, and gives the mean of the loss over its examples and the sum of a metric, such as hits.
  template <class Order, class Take>
  void run(ashlar::index_t examples, Order order, Take take, char const* metric = "accuracy") {
    epoch_display display(ranks_, options_, at_, examples, metric);
    while (at_.epoch < options_.epochs && at_.step < options_.steps) {
      auto const batches = order(at_.epoch);
      display.begin(at_.epoch);
      for (bool more = true; more && at_.step < options_.steps;) {
        auto const [loss, metric_sum] = take(batches, at_);
        files_.add(loss);
        ashlar::index_t const size = batches.size(at_.batch);
        at_.add(static_cast<double>(loss), metric_sum, size);
        display.show(size, at_.sums);
        more = at_.advance(batches.count());
        if (!more || at_.step == options_.steps) display.end(at_.sums);  // before the checkpoint that takes it for granted
        if (more)
          checkpoints_.after_step(at_, parameters_, state_);
        else
          checkpoints_.save(at_, parameters_, state_);
      }
    }
    checkpoints_.finish();
    files_.close();
    if (ranks_.rank() == 0) std::printf("\n%s", display.table().c_str());
  }

 private:
  ashlar::communicator ranks_;
  options const& options_;
  P& parameters_;
  S& state_;
  run_files files_;
  run_checkpoints checkpoints_;
  data_position at_;
};
