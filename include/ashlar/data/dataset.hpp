// SPDX-License-Identifier: BSL-1.0
// The examples of a training program: which ones, in which order, in what batches.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/data/array_source.hpp"
#include "ashlar/data/batches.hpp"

namespace ashlar::datasets {

/// The form of the last batch of an epoch if its examples do not fill it: a batch of fewer rows, or a full batch. The
/// other rows of a full batch are padding and have weight 0.
enum class last_batch { smaller, padded };

/// A position in the batches of all epochs. With it in a checkpoint, a run can continue in the middle of an epoch.
struct batch_position {
  index_t epoch = 0, batch = 0;
  static constexpr auto names = ashlar::names("epoch", "batch");
  /// The position of the next batch, if an epoch has `batches` batches.
  constexpr batch_position next(index_t batches) const {
    return batch + 1 < batches ? batch_position{epoch, batch + 1} : batch_position{epoch + 1, 0};
  }
  friend constexpr bool operator==(batch_position const&, batch_position const&) = default;
};

/// How examples are grouped into batches.
struct batching {
  index_t size = 1;  // examples of a global batch, over all ranks
  last_batch last = last_batch::smaller;
  example_order order = example_order::stored;
  prng_key key{};
  int prefetch = 0;
};

/// Examples whose fields are in several arrays, such as images and labels: all examples, or a chosen subset. It is a
/// small value: members that change it return a new dataset on the same arrays.
/// Example: auto const [validation, rest] = datasets::from_arrays(images, labels).split(10000, prng_key{1});
///   auto const train = rest.shuffle(prng_key{2}).batch(64).prefetch(2);
class dataset {
 public:
  explicit dataset(std::vector<array_source> arrays);
  // Moving copies, so that each dataset has its arrays.
  dataset(dataset const&) = default;
  dataset& operator=(dataset const&) = default;

  index_t examples() const { return chosen_ ? static_cast<index_t>(chosen_->size()) : arrays_[0].examples(); }
  /// The index of example i in the arrays.
  index_t stored_at(index_t i) const { return chosen_ ? (*chosen_)[static_cast<std::size_t>(i)] : i; }
  /// The indices of the chosen examples in the arrays. Empty if all are chosen.
  std::span<index_t const> chosen() const;
  std::vector<array_source> const& arrays() const { return arrays_; }
  batching const& how() const { return how_; }

  /// Returns n examples, drawn without replacement, and the others, both in the order in which they are stored.
  /// Post: the same on every rank, if the key is.
  /// Error: ashlar::error unless 0 <= n <= examples()
  std::pair<dataset, dataset> split(index_t n, prng_key key) const;

  /// Visits the examples of each epoch in a different order, which depends only on the key and the epoch.
  dataset shuffle(prng_key key) const;
  /// Forms batches of n examples over all ranks.
  dataset batch(index_t n, last_batch last = last_batch::smaller) const;
  /// Lets a thread read and convert up to `depth` batches ahead. With 0, batches are read when they are asked for.
  dataset prefetch(int depth) const;
  /// Keeps examples that were read from a file in this rank's memory. (cache_on_disk keeps them in a file.)
  dataset cache() const;

  /// The batches of an epoch. They consist of indices i of this dataset; stored_at(i) is the index in the arrays.
  shuffled_batches batches(index_t epoch) const { return {examples(), how_.size, how_.key, epoch, how_.order}; }

 private:
  template <class Change>
  dataset with(Change change) const {
    dataset d = *this;
    change(d.how_);
    return d;
  }

  std::vector<array_source> arrays_;
  std::shared_ptr<std::vector<index_t> const> chosen_;  // null: all
  batching how_;
};

/// A dataset of arrays that have equally many examples.
/// Error: ashlar::error if the arrays have different numbers of examples.
/// Example: datasets::from_arrays(images, labels).batch(128)
template <class... Array>
dataset from_arrays(Array&&... array) {
  std::vector<array_source> arrays;
  (arrays.push_back(array_source(std::forward<Array>(array))), ...);
  return dataset(std::move(arrays));
}

}  // namespace ashlar::datasets

#if ASHLAR_IMPL
#include "ashlar/data/impl/dataset.ipp"
#endif
