// SPDX-License-Identifier: BSL-1.0
// The functions of train/fit.hpp.
#include <chrono>

namespace ashlar {

ASHLAR_INLINE double epoch_report::operator[](std::string_view name) const {
  for (metric const& m : metrics)
    if (m.name == name) return m.mean;
  throw error("ashlar::epoch_report: no metric has the name " + std::string(name) + "; the step reports others");
}

ASHLAR_INLINE std::string epoch_report::text() const {
  std::string all;
  for (metric const& m : metrics) {
    char number[40];
    std::snprintf(number, sizeof number, " %.4f", m.mean);
    all += (all.empty() ? "" : "  ") + m.name + number;
  }
  return all;
}

}  // namespace ashlar

namespace ashlar::train_detail {

ASHLAR_INLINE void epoch_means::add(batch_report const& b) {
  if (b.examples < 0)
    throw error("ashlar::fit: a step reports 0 examples or more, found " + std::to_string(b.examples));
  if (report_.steps == 0) {
    report_.metrics = b.metrics;
    means_.resize(b.metrics.size());
  }
  bool same = b.metrics.size() == means_.size();
  for (std::size_t i = 0; same && i < means_.size(); ++i) same = b.metrics[i].name == report_.metrics[i].name;
  if (!same)
    throw error(
        "ashlar::fit: a step reports other metrics than the one before; report the same ones, in one order, of each batch");
  ++report_.steps;
  report_.examples += b.examples;
  for (std::size_t i = 0; i < means_.size(); ++i) {
    if (b.examples > 0) means_[i].add(b.metrics[i].mean, b.examples);
    report_.metrics[i].mean = means_[i].value();
  }
  report_.seconds = std::chrono::duration<double>(clock::now() - start_).count();
}

}  // namespace ashlar::train_detail
