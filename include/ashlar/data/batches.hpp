// SPDX-License-Identifier: BSL-1.0
// The order in which an epoch visits its examples, cut into batches.
#pragma once
#include "ashlar/meta/error.hpp"
#include "ashlar/config.hpp"
#include "ashlar/meta/philox.hpp"
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::datasets {

/// The order of examples in the batches of an epoch: a permutation that the key and the epoch give, or the stored order.
enum class example_order { shuffled, stored };

/// The batches of one epoch: a permutation of all examples, cut into batches. It depends only on key and epoch, so all
/// ranks of all meshes see the same batches. The last batch has the remaining examples.
/// Post: the batches in sequence contain each of 0 .. examples-1 once, in increasing order if `order` is `stored`.
/// Collective: no; each rank makes its own.
/// Cost: 8 bytes and one number of Philox per example.
/// Error: ashlar::error if examples < 0 or batch_size < 1.
/// Example: datasets::shuffled_batches(60000, 128, prng_key{7}, 0).size(468) == 96
class shuffled_batches {
 public:
  shuffled_batches(index_t examples, index_t batch_size, prng_key key, index_t epoch,
                   example_order order = example_order::shuffled);

  /// Number of batches in the epoch.
  index_t count() const { return all() / batch_size_ + (all() % batch_size_ != 0); }

  /// Number of examples in a batch: the batch size, or less in the last batch.
  /// Error: ashlar::error unless 0 <= batch < count()
  index_t size(index_t batch) const;

  /// The key of this epoch's permutation; 0 if the order is `stored`.
  prng_key key() const { return key_; }

  /// The examples at the positions [begin, end) of a batch, such as the positions in a rank's shard.
  /// Error: ashlar::error unless 0 <= begin <= end <= size(batch)
  std::span<index_t const> examples(index_t batch, index_t begin, index_t end) const;

 private:
  index_t all() const { return static_cast<index_t>(examples_.size()); }

  // Fisher-Yates shuffle. The remainder biases the choice of a position by at most examples / 2^64.
  void shuffle(prng_key key);

  index_t batch_size_;
  prng_key key_;
  std::vector<index_t> examples_;
};

/// The microbatches of an epoch, `per_batch` for each batch. One that is smaller than the first, or does not fill a
/// batch, is left out.
/// Pre: per_batch >= 1
/// Example: datasets::microbatches(datasets::shuffled_batches(60000, 16, key, 0), 8).count() == 468
class microbatches {
 public:
  microbatches(shuffled_batches all, index_t per_batch) : all_(std::move(all)), per_batch_(per_batch) {}

  /// Number of batches in the epoch.
  index_t count() const;
  /// All microbatches, and the position among them of microbatch i of a batch.
  shuffled_batches const& all() const { return all_; }
  index_t position(index_t batch, index_t i) const { return batch * per_batch_ + i; }

 private:
  shuffled_batches all_;
  index_t per_batch_;
};

/// A std::vector of batches made by `make`, of batch_size examples each. The last has the remaining ones. make(n, i) is
/// batch i, of n examples.
/// Pre: batch_size >= 1. Collective: if make is.
/// Example: datasets::make_batches(128, 16, [&](index_t n, std::uint64_t i) { return normal<T, L>(m, {n, 784}, fold_in(key, i)); })
template <class Make>
auto make_batches(index_t examples, index_t batch_size, Make make) {
  std::vector<decltype(make(index_t(0), std::uint64_t(0)))> batches;
  for (index_t done = 0; done < examples; done += batch_size)
    batches.push_back(make((std::min)(batch_size, examples - done), static_cast<std::uint64_t>(batches.size())));
  return batches;
}

}  // namespace ashlar::datasets

#if ASHLAR_IMPL
#include "ashlar/data/impl/batches.ipp"
#endif
