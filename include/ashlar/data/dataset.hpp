// What a training program says about its examples: which, in which order, in what batches.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/data/array_source.hpp"
#include "ashlar/data/batches.hpp"

namespace ashlar {

/// What becomes of the examples that do not fill a batch: a batch of fewer rows, or a full one whose other rows hold
/// nothing and weigh nothing.
enum class last_batch { smaller, padded };

/// A place in the batches of all epochs: what a checkpoint keeps, so that a run goes on in the middle of an epoch.
struct batch_position {
  index_t epoch = 0, batch = 0;
  static constexpr auto names = ashlar::names("epoch", "batch");
  /// Of the batch behind this one, where epochs have so many.
  constexpr batch_position next(index_t batches) const { return batch + 1 < batches ? batch_position{epoch, batch + 1} : batch_position{epoch + 1, 0}; }
  friend constexpr bool operator==(batch_position const&, batch_position const&) = default;
};

/// How examples make batches.
struct batching {
  index_t size = 1;  // of a global batch, over all ranks
  last_batch last = last_batch::smaller;
  example_order order = example_order::stored;
  prng_key key{};
  int prefetch = 0;
};

/// Examples that several arrays hold together, such as images and labels: all of them, or those chosen. A small value: what
/// changes it returns another, which reads the same arrays.
/// Example: auto const [validation, rest] = from_arrays(images, labels).split(10000, prng_key{1});
///   auto const train = rest.shuffle(prng_key{2}).batch(64).prefetch(2);
class dataset {
 public:
  explicit dataset(std::vector<array_source> arrays) : arrays_(std::move(arrays)) {
    if (arrays_.empty()) throw error("ashlar::dataset: expected one array or more, found none");
    for (array_source const& a : arrays_)
      if (a.examples() != arrays_[0].examples())
        throw error("ashlar::dataset: expected as many examples in each array, found " + std::to_string(arrays_[0].examples()) + " and " + std::to_string(a.examples()));
  }

  index_t examples() const { return chosen_ ? static_cast<index_t>(chosen_->size()) : arrays_[0].examples(); }
  /// Where example i stands in the arrays.
  index_t stored_at(index_t i) const { return chosen_ ? (*chosen_)[static_cast<std::size_t>(i)] : i; }
  /// Where the examples stand that were chosen; nothing where all were.
  std::span<index_t const> chosen() const { return chosen_ ? std::span<index_t const>(*chosen_) : std::span<index_t const>(); }
  std::vector<array_source> const& arrays() const { return arrays_; }
  batching const& how() const { return how_; }

  /// n examples, drawn without putting back, and the others; both in the order in which they are stored.
  /// Post: the same on every rank, for a key that all share
  /// Error: ashlar::error unless 0 <= n <= examples()
  std::pair<dataset, dataset> split(index_t n, prng_key key) const {
    if (n < 0 || n > examples())
      throw error("ashlar::dataset: expected to split off 0 to " + std::to_string(examples()) + " examples, found " + std::to_string(n));
    std::vector<bool> drawn(static_cast<std::size_t>(examples()));
    if (n > 0) {
      shuffled_batches const order(examples(), n, key, 0);
      for (index_t const i : order.examples(0, 0, n)) drawn[static_cast<std::size_t>(i)] = true;
    }
    auto const chosen = [&](bool which) {
      auto places = std::make_shared<std::vector<index_t>>();
      for (index_t i = 0; i < examples(); ++i)
        if (drawn[static_cast<std::size_t>(i)] == which) places->push_back(stored_at(i));
      dataset d = *this;
      d.chosen_ = std::move(places);
      return d;
    };
    return {chosen(true), chosen(false)};
  }

  /// Each epoch in an order of its own, which depends on nothing but the key and the epoch.
  dataset shuffle(prng_key key) const {
    return with([&](batching& b) { b.order = example_order::shuffled, b.key = key; });
  }
  /// Batches of n examples over all ranks.
  dataset batch(index_t n, last_batch last = last_batch::smaller) const {
    if (n < 1) throw error("ashlar::dataset: expected batches of 1 example or more, found " + std::to_string(n));
    return with([&](batching& b) { b.size = n, b.last = last; });
  }
  /// Batches are read and converted by a thread, at most `depth` ahead; 0: when they are asked for.
  dataset prefetch(int depth) const {
    if (depth < 0) throw error("ashlar::dataset: expected to prefetch 0 batches or more, found " + std::to_string(depth));
    return with([&](batching& b) { b.prefetch = depth; });
  }
  /// Examples that were read from a file stay in this rank's memory; cache_on_disk is the other cache.
  dataset cache() const {
    dataset d = *this;
    for (array_source& a : d.arrays_) a = a.cached();
    return d;
  }

  /// The batches of an epoch; position i of them is the example stored_at(i).
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

/// The examples of arrays that have as many each.
template <class... Array>
dataset from_arrays(Array&&... array) {
  std::vector<array_source> arrays;
  (arrays.push_back(array_source(std::forward<Array>(array))), ...);
  return dataset(std::move(arrays));
}

}  // namespace ashlar
