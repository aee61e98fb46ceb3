// SPDX-License-Identifier: BSL-1.0
// The functions of train/training_run.hpp.
#include <cstdio>

namespace ashlar::training {

ASHLAR_INLINE number_log::number_log(communicator const& c, std::string file_path, index_t steps_before)
    : ranks_(c), writes_(!file_path.empty()) {
  if (!writes_) return;
  comm::on_root(ranks_, [&] {
    bool const goes_on = steps_before > 0 && io_detail::is_file(file_path);
    file_ = train_detail::line_file(file_path, "ashlar::training::number_log");
    file_.cut(goes_on ? bytes_of_lines(steps_before) : 0);
  });
}

ASHLAR_INLINE std::size_t number_log::bytes_of_lines(index_t n) const {
  std::string const text = file_.text();
  std::size_t bytes = 0;
  index_t found = 0;
  for (std::size_t end; found < n && (end = text.find('\n', bytes)) != text.npos; ++found) bytes = end + 1;
  if (found < n)
    file_.fail("expected the losses of the " + std::to_string(n) + " steps before, found " + std::to_string(found) +
               "; choose the file that the run began with, or one that is not there yet");
  return bytes;
}

ASHLAR_INLINE training_run::training_run(communicator const& c, run_options const& o, datasets::data_position const& at,
                                         index_t examples)
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

ASHLAR_INLINE void training_run::finish() {
  if (trace_) trace_->write();
}

ASHLAR_INLINE std::vector<std::string> training_run::columns(std::vector<std::string> const& last) const {
  std::vector<std::string> all{"epoch"};
  all.insert(all.end(), options_.columns.begin(), options_.columns.end());
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

ASHLAR_INLINE void training_run::start() {
  before_ = at_.batch > 0 ? at_.sums.examples : 0;
  steps_ = 0;
  bar_.start_epoch(static_cast<int>(at_.epoch) + 1, before_);
  start_ = clock::now();
}

ASHLAR_INLINE void training_run::end_epoch(std::vector<double> const& evaluated) {
  double const time = seconds();
  std::vector<double> row{static_cast<double>(at_.epoch), at_.sums.loss()};
  if (has_metric()) row.push_back(at_.sums.metric());
  row.insert(row.end(), evaluated.begin(), evaluated.end());
  if (log_) log_->add(row);
  row.push_back(time);
  row.push_back(std::round(static_cast<double>(at_.sums.examples - before_) / time));
  bar_.erase();
  std::string const head = table_.rows().empty() ? table_.head() : "", line = table_.add(row);
  if (shown_) std::fputs((head + line).c_str(), stdout), std::fflush(stdout);
  start();
}

ASHLAR_INLINE std::string training_run::numbers() const {
  char loss[40], metric[80] = "", pace[80];
  std::snprintf(loss, sizeof loss, "loss %.4f  ", at_.sums.loss());
  if (has_metric()) std::snprintf(metric, sizeof metric, "%s %.4f  ", options_.columns[1].c_str(), at_.sums.metric());
  double const time = seconds();
  std::snprintf(pace, sizeof pace, "%6.0f %s  %.3g ms/step", static_cast<double>(at_.sums.examples - before_) / time,
                pace_.c_str(), 1e3 * time / static_cast<double>(steps_));
  return std::string(loss) + metric + pace;
}

}  // namespace ashlar::training
