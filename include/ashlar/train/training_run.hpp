// A training run: epochs of steps from a position in the data, with its files and its output on the screen.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
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

namespace ashlar {

/// A file of one number per line, 17 digits each. An existing file keeps the numbers of the first `steps_before` steps
/// and loses all later ones. An empty path writes nothing.
/// Collective: construction and add, over all ranks of c.
/// Error: ashlar::error on every rank if the file cannot be written, another run writes it, or it lacks numbers of the
///   steps before.
/// Example: number_log losses(m.communicator(), "losses.txt", at.step); losses.add(item(l));
class number_log {
 public:
  number_log(communicator const& c, std::string path, index_t steps_before = 0) : ranks_(c), writes_(!path.empty()) {
    if (!writes_) return;
    comm::on_root(ranks_, [&] {
      bool const goes_on = steps_before > 0 && std::filesystem::is_regular_file(path);
      file_ = train_detail::line_file(path, "ashlar::number_log");
      file_.cut(goes_on ? bytes_of_lines(steps_before) : 0);
    });
  }
  template <class T>
  void add(T number) {
    if (writes_) comm::on_root(ranks_, [&] { file_.add(train_detail::number_text(number)); });
  }

 private:
  std::size_t bytes_of_lines(index_t n) const {
    std::string const text = file_.text();
    std::size_t bytes = 0;
    index_t found = 0;
    for (std::size_t end; found < n && (end = text.find('\n', bytes)) != text.npos; ++found) bytes = end + 1;
    if (found < n)
      file_.fail("expected the losses of the " + std::to_string(n) + " steps before, found " + std::to_string(found) +
                 "; choose the file that the run began with, or one that is not there yet");
    return bytes;
  }

  communicator ranks_;
  bool writes_;
  train_detail::line_file file_;
};

/// The length of a training run, its files, and its output on the screen.
struct run_options {
  int epochs = 1;
  index_t steps = std::numeric_limits<index_t>::max();  ///< the run ends after this step, or with its last epoch.
  std::string losses{}, log{}, trace{};                 ///< files: a number_log, a csv_log, a comm::trace. Empty: none.
  std::vector<std::string> columns = {"loss", "accuracy"};  ///< loss, metric, numbers evaluated after each epoch.
  std::string example = "example";                          ///< the name of one, to show the pace.
  bool shown = true;                                        ///< rank 0 shows a bar per epoch, then a row of a table.
};

/// The result of a step: the mean loss over its examples, and the sum of a metric over them.
struct step_result {
  double loss, metric_sum;
  index_t examples;
};

/// Evaluates no numbers besides loss and metric.
inline constexpr auto nothing_else = [] { return std::vector<double>(); };

/// A run that starts or resumes at a position in its data. It shows the progress of each epoch, then a row of a table:
/// epoch, loss, metric, evaluated numbers, seconds and pace. A resumed run writes the same rows and losses as an
/// uninterrupted one.
/// Collective: every member, over all ranks of c. Error: as csv_log, number_log and comm::trace.
/// Example: training_run run(m.communicator(), {.epochs = 5}, saved.resume(p, state), images);
///   while (run.goes_on()) {
///     auto const [l, h] = step(p, state, batch(run.at()));
///     run.after_step({item(l), item(h), 128}, batches);
///     saved.after_step(run.at(), p, state);
///   }
///   run.finish();
class training_run {
 public:
  /// `examples` is the number of examples per epoch.
  training_run(communicator const& c, run_options const& o, data_position const& at, index_t examples)
      : options_(o),
        at_(at),
        losses_(c, o.losses, at.step),
        shown_(o.shown && c.rank() == 0),
        pace_(o.example + "s/s"),
        bar_(stdout, shown_, o.epochs, examples, progress_style::automatic, 25),
        table_(columns({"seconds", pace_})) {
    if (!o.trace.empty()) trace_.emplace(c, o.trace);
    if (!o.log.empty()) log_.emplace(c, o.log, columns({}), static_cast<double>(at.epoch + 1));
    start();
  }

  data_position const& at() const { return at_; }
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
  void after_step(step_result const& s, index_t batches) { after_step(s, batches, nothing_else); }

  /// Calls step(batches, at()) and then saved.after_step(at(), trees...), until the run ends; then
  /// saved.after_last_step(at(), trees...), if it has that member, and saved.finish(). `batches` is
  /// order(epoch), whose count() is the number of batches. After each epoch evaluate() gives the numbers of the other
  /// columns.
  template <class Saved, class Order, class Step, class Evaluate, class... X>
  void go_on(Saved& saved, Order order, Step step, Evaluate evaluate, X const&... trees) {
    while (goes_on()) {
      auto const& batches = order(at_.epoch);
      for (index_t const epoch = at_.epoch; goes_on() && at_.epoch == epoch;) {
        step_result const result = step(batches, std::as_const(at_));
        after_step(result, batches.count(), evaluate);  // first: a checkpoint implies that the row is written
        saved.after_step(at_, trees...);
      }
    }
    if constexpr (requires { saved.after_last_step(at_, trees...); }) saved.after_last_step(at_, trees...);
    saved.finish();
    finish();
  }

  /// Writes the trace.
  void finish() {
    if (trace_) trace_->write();
  }

 private:
  using clock = std::chrono::steady_clock;
  std::vector<std::string> columns(std::vector<std::string> const& last) const {
    std::vector<std::string> all{"epoch"};
    all.insert(all.end(), options_.columns.begin(), options_.columns.end());
    all.insert(all.end(), last.begin(), last.end());
    return all;
  }
  void start() {
    before_ = at_.batch > 0 ? at_.sums.examples : 0;
    steps_ = 0;
    bar_.start_epoch(static_cast<int>(at_.epoch) + 1, before_);
    start_ = clock::now();
  }
  void end_epoch(std::vector<double> const& evaluated) {
    double const time = seconds();
    std::vector<double> row{static_cast<double>(at_.epoch), at_.sums.loss()};
    if (options_.columns.size() > 1) row.push_back(at_.sums.metric());
    row.insert(row.end(), evaluated.begin(), evaluated.end());
    if (log_) log_->add(row);
    row.push_back(time);
    row.push_back(std::round(static_cast<double>(at_.sums.examples - before_) / time));
    bar_.erase();
    std::string const head = table_.rows().empty() ? table_.head() : "", line = table_.add(row);
    if (shown_) std::fputs((head + line).c_str(), stdout), std::fflush(stdout);
    start();
  }
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }
  std::string numbers() const {
    char loss[40], metric[80] = "", pace[80];
    std::snprintf(loss, sizeof loss, "loss %.4f  ", at_.sums.loss());
    if (options_.columns.size() > 1)
      std::snprintf(metric, sizeof metric, "%s %.4f  ", options_.columns[1].c_str(), at_.sums.metric());
    double const time = seconds();
    std::snprintf(pace, sizeof pace, "%6.0f %s  %.3g ms/step", static_cast<double>(at_.sums.examples - before_) / time,
                  pace_.c_str(), 1e3 * time / static_cast<double>(steps_));
    return std::string(loss) + metric + pace;
  }

  run_options options_;
  data_position at_;
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
  data_position resume(X&...) const {
    return {};
  }
  template <class... X>
  void after_step(data_position const&, X const&...) const {}
  void finish() const {}
};

}  // namespace ashlar
