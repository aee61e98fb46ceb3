// SPDX-License-Identifier: BSL-1.0
// The position of a training run in its data.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/tree.hpp"

namespace ashlar::datasets {

/// Sums over the examples of an epoch so far, and their means.
struct epoch_sums {
  double loss_sum = 0, metric_sum = 0;
  index_t examples = 0;
  static constexpr auto names = ashlar::names("loss_sum", "metric_sum", "examples");

  constexpr double loss() const { return examples == 0 ? 0 : loss_sum / static_cast<double>(examples); }
  constexpr double metric() const { return examples == 0 ? 0 : metric_sum / static_cast<double>(examples); }
};

/// The number of steps done, the next batch, and the sums of its epoch, earlier runs included. A checkpoint stores it
/// as a part.
/// Post: between two epochs `batch` is 0 and `sums` are the sums of the epoch that has ended.
/// Example: data_position at; at.add(loss, hits, 128); if (!at.advance(batches)) { an epoch has ended }
struct data_position {
  index_t step = 0, epoch = 0, batch = 0;
  epoch_sums sums{};
  static constexpr auto names = ashlar::names("step", "epoch", "batch", "sums");

  /// Adds the next batch: its mean loss, and the sum of a metric over its examples, such as hits.
  constexpr void add(double loss, double metric_sum, index_t examples) {
    if (batch == 0) sums = {};
    sums.loss_sum += loss * static_cast<double>(examples);
    sums.metric_sum += metric_sum;
    sums.examples += examples;
  }
  /// Moves to the next batch of an epoch with `batches` batches. Returns false if the epoch has ended.
  constexpr bool advance(index_t batches) {
    ++step;
    if (++batch < batches) return true;
    ++epoch, batch = 0;
    return false;
  }
};

}  // namespace ashlar::datasets
