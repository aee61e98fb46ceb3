// SPDX-License-Identifier: BSL-1.0
// Means over all examples, batch by batch.
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "ashlar/data/batches.hpp"

namespace ashlar::train_detail {

// sums[k] += more[k], for a number or a std::vector of numbers; and the means.
template <class Sums>
class summed_over_batches {
 public:
  void add(Sums const& more, index_t examples) {
    if constexpr (std::is_arithmetic_v<Sums>) {
      sums_.resize(1);
      sums_[0] += static_cast<double>(more);
    } else {
      sums_.resize(more.size());
      for (std::size_t k = 0; k < more.size(); ++k) sums_[k] += static_cast<double>(more[k]);
    }
    examples_ += examples;
  }
  auto means() && {
    for (double& x : sums_) x /= static_cast<double>(examples_);
    if constexpr (std::is_arithmetic_v<Sums>)
      return sums_.empty() ? 0. : sums_[0];
    else
      return std::move(sums_);
  }

 private:
  std::vector<double> sums_;
  index_t examples_ = 0;
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The mean over examples 0 to examples - 1, in batches in this order. sum_of(batches, i) returns the sum over the
/// examples of batch i, or a std::vector of several sums. Then the result is a std::vector too.
/// Collective: if sum_of is.
/// Error: as shuffled_batches.
/// Example: mean_over(10000, 1000, [&](shuffled_batches const& batches, index_t i) { return hits(batches, i); })
template <class SumOf>
auto mean_over(index_t examples, index_t batch_size, SumOf sum_of) {
  datasets::shuffled_batches const batches(examples, batch_size, prng_key{0}, 0, datasets::example_order::stored);
  train_detail::summed_over_batches<std::remove_cvref_t<decltype(sum_of(batches, index_t(0)))>> sums;
  for (index_t i = 0; i < batches.count(); ++i) sums.add(sum_of(batches, i), batches.size(i));
  return std::move(sums).means();
}

/// The mean over the examples of the next count() batches of a stream, which are an epoch. sum_of(batch) returns the
/// sum over batch.examples examples, or a std::vector of several sums. Then the result is a std::vector too.
/// Collective: as next() of the stream. Error: as next().
/// Example: mean_over(datasets::batch_stream(m, test, image_field, label_field), [&](auto const& batch) { return hits(batch); })
template <class Stream, class SumOf>
  requires requires(Stream& s) { s.next().examples; }
auto mean_over(Stream&& stream, SumOf sum_of) {
  train_detail::summed_over_batches<std::remove_cvref_t<decltype(sum_of(stream.next()))>> sums;
  for (index_t i = 0; i < stream.count(); ++i) {
    auto const batch = stream.next();
    sums.add(sum_of(batch), batch.examples);
  }
  return std::move(sums).means();
}

}  // namespace ashlar::training
