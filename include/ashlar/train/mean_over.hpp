// Means over all examples, batch by batch.
#pragma once
#include <type_traits>
#include <vector>

#include "ashlar/data/batches.hpp"
#include "ashlar/train/metrics.hpp"

namespace ashlar {

/// The mean over examples 0 to examples - 1, in batches in this order. sum_of(batches, i) returns the sum over the
/// examples of batch i, or a std::vector of several sums. Then the result is a std::vector too.
/// Collective: if sum_of is.
/// Error: as shuffled_batches.
/// Example: mean_over(10000, 1000, [&](shuffled_batches const& batches, index_t i) { return hits(batches, i); })
template <class SumOf>
auto mean_over(index_t examples, index_t batch_size, SumOf sum_of) {
  shuffled_batches const batches(examples, batch_size, prng_key{0}, 0, example_order::stored);
  using result = std::remove_cvref_t<decltype(sum_of(batches, index_t(0)))>;
  if constexpr (std::is_arithmetic_v<result>) {
    running_mean mean;
    for (index_t i = 0; i < batches.count(); ++i)
      mean.add_sum(static_cast<double>(sum_of(batches, i)), batches.size(i));
    return mean.value();
  } else {
    std::vector<double> means;
    for (index_t i = 0; i < batches.count(); ++i) {
      result const sums = sum_of(batches, i);
      means.resize(sums.size());
      for (std::size_t k = 0; k < sums.size(); ++k) means[k] += static_cast<double>(sums[k]);
    }
    for (double& x : means) x /= static_cast<double>(examples);
    return means;
  }
}

}  // namespace ashlar
