// SPDX-License-Identifier: BSL-1.0
// Running means of metrics.
#pragma once
#include "ashlar/ops/nn/metrics.hpp"

namespace ashlar::training {

/// A running mean over batches, weighted by their numbers of examples. item() brings a tensor's number to the host. The
/// loss of a batch is a mean; hits and confusion counts are sums.
/// Example: running_mean loss, accuracy; loss.add(item(l), batches.size(i)); accuracy.add_sum(item(hits), batches.size(i));
class running_mean {
 public:
  /// Adds a batch by its mean over `examples` examples.
  constexpr void add(double mean_of_batch, index_t examples) {
    add_sum(mean_of_batch * static_cast<double>(examples), examples);
  }
  /// Adds a batch by its sum over `examples` examples.
  constexpr void add_sum(double sum_of_batch, index_t examples) {
    sum_ += sum_of_batch;
    examples_ += examples;
  }
  /// The mean so far; 0 before the first example.
  constexpr double value() const { return examples_ == 0 ? 0 : sum_ / static_cast<double>(examples_); }
  constexpr index_t examples() const { return examples_; }
  constexpr void reset() { *this = {}; }

 private:
  double sum_ = 0;
  index_t examples_ = 0;
};

}  // namespace ashlar::training
