// What a user sees of a training run: a bar while an epoch runs, a table with a row for each, and the same rows as a file.
#pragma once
#include <ashlar/train/history.hpp>
#include <ashlar/train/progress.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resuming.hpp"

/// Shows after every step how far its epoch is, by a bar or, where the output is no terminal, by a line for each quarter. At the
/// end of the epoch a row of a table takes the bar's place: the epoch's number, its loss and what else `columns` names, the seconds
/// of this run and its pace. --log appends the row, without seconds and pace, to a file.
/// A run that goes on writes the rows that one in one piece would have: the first covers what earlier runs did of its epoch, and
/// rows from behind the checkpoint are taken out of the file.
/// Collective: construction and after_step. Error: as ashlar::csv_log
class run_display {
 public:
  /// Columns are "loss"; "accuracy", or what else data_position::add takes sums of; and what `after_step` is given besides.
  run_display(ashlar::communicator const& c, options const& o, data_position const& at, ashlar::index_t examples, std::vector<std::string> columns, bool shown = true)
      : shown_(shown && c.rank() == 0),
        metric_(columns.size() > 1 ? columns[1] : ""),
        pace_(std::string(o.example) + "s/s"),
        bar_(stdout, shown_, o.epochs, examples_shown(o, examples), ashlar::progress_style::automatic, 25),
        table_(between("epoch", columns, {"seconds", pace_})) {
    if (!o.log.empty()) file_.emplace(c, o.log, between("epoch", columns, {}), static_cast<double>(at.epoch + 1));
    start(at);
  }
  /// others() gives the numbers of the other columns; it is called at the end of an epoch.
  template <class Others>
  void after_step(data_position const& at, Others const& others) {
    ++steps_;
    if (at.batch > 0) return bar_.show(at.sums.examples, [&] { return numbers(at.sums); });
    double const time = seconds();
    std::vector<double> row{static_cast<double>(at.epoch), at.sums.loss()};
    if (!metric_.empty()) row.push_back(at.sums.accuracy());
    for (double const x : std::vector<double>(others())) row.push_back(x);
    if (file_) file_->add(row);
    row.push_back(time);
    row.push_back(std::round(static_cast<double>(at.sums.examples - before_) / time));
    bar_.erase();
    std::string const head = table_.rows().empty() ? table_.head() : "", line = table_.add(row);
    if (shown_) std::fputs((head + line).c_str(), stdout), std::fflush(stdout);
    start(at);
  }
  void after_step(data_position const& at) {
    after_step(at, [] { return std::vector<double>(); });
  }

 private:
  using clock = std::chrono::steady_clock;
  static std::vector<std::string> between(std::string first, std::vector<std::string> columns, std::vector<std::string> const& last) {
    columns.insert(columns.begin(), std::move(first));
    columns.insert(columns.end(), last.begin(), last.end());
    return columns;
  }
  void start(data_position const& at) {
    before_ = at.batch > 0 ? at.sums.examples : 0;
    steps_ = 0;
    bar_.start_epoch(static_cast<int>(at.epoch) + 1, before_);
    start_ = clock::now();
  }
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }
  std::string numbers(epoch_sums const& sums) const {
    char loss[40], metric[80] = "", pace[80];
    std::snprintf(loss, sizeof loss, "loss %.4f  ", sums.loss());
    if (!metric_.empty()) std::snprintf(metric, sizeof metric, "%s %.4f  ", metric_.c_str(), sums.accuracy());
    double const time = seconds();
    std::snprintf(pace, sizeof pace, "%6.0f %s  %.3g ms/step", static_cast<double>(sums.examples - before_) / time, pace_.c_str(), 1e3 * time / static_cast<double>(steps_));
    return std::string(loss) + metric + pace;
  }

  bool shown_;
  std::string metric_, pace_;
  ashlar::progress bar_;
  ashlar::epoch_table table_;
  std::optional<ashlar::csv_log> file_;
  ashlar::index_t before_ = 0;  // examples of the epoch, by earlier runs
  ashlar::index_t steps_ = 0;   // of the epoch, by this run
  clock::time_point start_{};
};
