// SPDX-License-Identifier: BSL-1.0
// A training run: epochs of steps from a position in the data, with its files and its output on the screen.
#pragma once
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/comm/trace.hpp"
#include "ashlar/data/position.hpp"
#include "ashlar/train/history.hpp"
#include "ashlar/train/line_file.hpp"
#include "ashlar/train/progress.hpp"

namespace ashlar::training {

/// A file of one number per line, 17 digits each. An existing file keeps the numbers of the first `steps_before` steps
/// and loses all later ones. An empty path writes nothing.
/// Collective: construction and add, over all ranks of c.
/// Error: ashlar::error on every rank if the file cannot be written, another run writes it, or it lacks numbers of the
///   steps before.
/// Example: number_log losses(m.communicator(), "losses.txt", at.step); losses.add(item(l));
class number_log {
 public:
  number_log(communicator const& c, std::string file_path, index_t steps_before = 0);
  number_log(number_log const&) = delete;
  number_log& operator=(number_log const&) = delete;
  template <class T>
  void add(T number) {
    if (writes_) comm::on_root(ranks_, [&] { file_.add(train_detail::number_text(number)); });
  }

 private:
  std::size_t bytes_of_lines(index_t n) const;

  communicator ranks_;
  bool writes_;
  train_detail::line_file file_;
};

/// The length of a training run, its files, and its output on the screen.
struct run_options {
  int epochs = 1;
  index_t steps = (std::numeric_limits<index_t>::max)();  ///< the run ends after this step, or with its last epoch.
  std::string losses{}, log{}, trace{};  ///< files: a number_log, a csv_log, a comm::trace. Empty: none.
  std::vector<std::string> columns = {"loss", "accuracy"};  ///< loss, metric, numbers evaluated after each epoch.
  index_t evaluated = 0;  ///< of the columns, as many as follow the metric; or the loss, if there is no metric.
  std::string example = "example";  ///< the name of one, to show the pace.
  bool shown = true;                ///< rank 0 shows a bar per epoch, then a row of a table.
};

/// The result of a step: the mean loss over its examples, and the sum of a metric over them.
struct step_result {
  double loss, metric_sum;
  index_t examples;
};

/// A run that starts or resumes at a position in its data. It shows the progress of each epoch, then a row of a table:
/// epoch, loss, metric, evaluated numbers, seconds and pace. A resumed run writes the same rows and losses as an
/// uninterrupted one.
/// Collective: every member, over all ranks of c. Error: as csv_log, number_log and comm::trace.
/// Example: training_run run(m.communicator(), {.epochs = 5}, saved.resume(p, state), images);
///   while (run.goes_on()) {
///     auto const [l, h] = step(p, state, batch(run.at()));
///     run.after_step({item(l), item(h), 128}, batches);
///     saved.after_step(run.at(), p, state);  // last: a checkpoint implies that the row is written
///   }
///   saved.after_last_step(run.at(), p, state);
///   saved.finish();
///   run.finish();
class training_run {
 public:
  /// `examples` is the number of examples per epoch.
  training_run(communicator const& c, run_options const& o, datasets::data_position const& at, index_t examples);

  datasets::data_position const& at() const { return at_; }
  bool goes_on() const { return at_.epoch < options_.epochs && at_.step < options_.steps; }

  /// Records a step of an epoch of `batches` batches. After the last step of an epoch evaluate() gives the numbers of
  /// the other columns.
  template <class Evaluate>
  void after_step(step_result const& s, index_t batches, Evaluate const& evaluate) {
    losses_.add(s.loss);
    at_.add(s.loss, s.metric_sum, s.examples);
    ++steps_;
    if (at_.advance(batches))
      bar_.show(at_.sums.examples, [&] { return numbers(); });
    else
      end_epoch(evaluate());
  }
  void after_step(step_result const& s, index_t batches) {
    after_step(s, batches, [] { return std::vector<double>(); });
  }

  /// Writes the trace.
  void finish();

 private:
  using clock = std::chrono::steady_clock;
  std::vector<std::string> columns(std::vector<std::string> const& last) const;
  void start();
  void end_epoch(std::vector<double> const& evaluated);
  bool has_metric() const { return std::ssize(options_.columns) > 1 + options_.evaluated; }
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }
  std::string numbers() const;

  run_options options_;
  datasets::data_position at_;
  number_log losses_;
  std::optional<comm::trace> trace_;
  bool shown_;
  std::string pace_;
  progress bar_;
  epoch_table table_;
  std::optional<csv_log> log_;
  index_t before_ = 0;  // examples of the epoch, by earlier runs
  index_t steps_ = 0;   // of the epoch, by this run
  clock::time_point start_{};
};

/// Saves nothing, for a training_run without checkpoints.
struct no_checkpoints {
  template <class... X>
  datasets::data_position resume(X&...) const {
    return {};
  }
  template <class... X>
  void after_step(datasets::data_position const&, X const&...) const {}
  template <class... X>
  void after_last_step(datasets::data_position const&, X const&...) const {}
  void finish() const {}
};

}  // namespace ashlar::training

#if ASHLAR_IMPL
#include "ashlar/train/impl/training_run.ipp"
#endif
