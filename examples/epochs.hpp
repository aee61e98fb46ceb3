// The loop of a training program: epochs of steps, begun or gone on with, and what a user sees of them.
#pragma once
#include "resuming.hpp"
#include "showing.hpp"
#include "training.hpp"

/// A run over the options' epochs, or steps, from the newest checkpoint on where they name a folder of some.
/// Collective: construction and run. Pre: parameters and state outlive it
template <class P, class S>
class training {
 public:
  training(ashlar::communicator const& c, program const& of, options const& o, P& p, S& s, training_set const& data = {})
      : ranks_(c), options_(o), parameters_(p), state_(s), checkpoints_(c, o, data), at_(checkpoints_.resume(p, s)), files_(c, of, o, at_.step) {}

  /// Takes in epochs of so many examples. order(epoch) are an epoch's batches, with count() and size(batch); take(batches, at)
  /// takes the step of batch at.batch, and gives the mean of the loss over its examples and the sum of a metric, such as hits.
  template <class Order, class Take>
  void run(ashlar::index_t examples, Order order, Take take, char const* metric = "accuracy") {
    run_display display(ranks_, options_, at_, examples, {"loss", metric});
    while (at_.epoch < options_.epochs && at_.step < options_.steps) {
      auto const batches = order(at_.epoch);
      for (bool more = true; more && at_.step < options_.steps;) {
        auto const [loss, metric_sum] = take(batches, at_);
        files_.add(loss);
        at_.add(static_cast<double>(loss), metric_sum, batches.size(at_.batch));
        more = at_.advance(batches.count());
        display.after_step(at_);  // before the checkpoint that takes the epoch's row for granted
        checkpoints_.after_batch(at_, parameters_, state_);
      }
    }
    checkpoints_.finish();
    files_.close();
  }

 private:
  ashlar::communicator ranks_;
  options const& options_;
  P& parameters_;
  S& state_;
  run_checkpoints checkpoints_;
  data_position at_;
  run_files files_;
};
