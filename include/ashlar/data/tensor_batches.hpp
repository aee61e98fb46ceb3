// SPDX-License-Identifier: BSL-1.0
// Batches that are tensors on a mesh already.
#pragma once
#include "ashlar/data/batches.hpp"
#include "ashlar/data/dataset.hpp"
#include "ashlar/plan/ledger.hpp"
#include <tuple>

namespace ashlar::datasets {

/// A batch: a std::tuple of tensors, and the number of its examples.
template <class Tensors>
struct tensor_batch {
  Tensors tensors;
  index_t examples;
};

/// Batches in the memory of the mesh, epoch after epoch, as a stream. With a key they come in another order each epoch.
/// Batch i is made by make(n, i), of n examples: std::tuple(inputs, labels).
/// Collective: if make is; members: no.
/// Error: ashlar::error for no examples, and for a batch size below 1.
/// Example: tensor_batches data(128, 16, [&](index_t n, std::uint64_t i) {
///   return std::tuple(normal<float, X>(m, {n, 784}, fold_in(key, 2 * i)), normal<float, X>(m, {n, 10}, fold_in(key, 2 * i + 1))); });
template <class Make>
class tensor_batches {
 public:
  using batch_type = tensor_batch<std::invoke_result_t<Make&, index_t, std::uint64_t>>;

  tensor_batches(index_t examples, index_t batch_size, Make make, example_order order = example_order::stored,
                 prng_key key = {})
      : examples_(examples), order_(order), key_(key) {
    if (examples < 1 || batch_size < 1)
      throw error("ashlar::datasets::tensor_batches: expected 1 example or more in batches of 1 or more, found " +
                  std::to_string(examples) + " and " + std::to_string(batch_size));
    for (index_t done = 0; done < examples; done += batch_size) {
      index_t const n = (std::min)(batch_size, examples - done);
      all_.push_back({make(n, static_cast<std::uint64_t>(all_.size())), n});
    }
  }

  /// The number of batches per epoch, and of examples.
  index_t count() const { return static_cast<index_t>(all_.size()); }
  index_t examples() const { return examples_; }
  void seek(batch_position to, call_site = {}) { at_ = to; }
  batch_type const& next(call_site = {}) {
    shuffled_batches const order(count(), 1, key_, at_.epoch, order_);
    auto const i = order.examples(at_.batch, 0, 1)[0];
    at_ = at_.next(count());
    return all_[static_cast<std::size_t>(i)];
  }

 private:
  std::vector<batch_type> all_;
  index_t examples_;
  example_order order_;
  prng_key key_;
  batch_position at_{};
};

}  // namespace ashlar::datasets
