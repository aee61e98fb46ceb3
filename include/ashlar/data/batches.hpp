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

}  // namespace ashlar::datasets

#if ASHLAR_IMPL
#include "ashlar/data/impl/batches.ipp"
#endif
