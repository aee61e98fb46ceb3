// SPDX-License-Identifier: BSL-1.0
// The functions of data/batches.hpp.
#include "ashlar/comm/buffer.hpp"
#include <numeric>

namespace ashlar::datasets {

ASHLAR_INLINE shuffled_batches::shuffled_batches(index_t examples, index_t batch_size, prng_key key, index_t epoch,
                                                 example_order order)
    : batch_size_(batch_size),
      key_(order == example_order::shuffled ? fold_in(key, static_cast<std::uint64_t>(epoch)) : prng_key{0}) {
  if (examples < 0 || batch_size < 1)
    throw error("ashlar::datasets::shuffled_batches: expected 0 examples or more in batches of 1 or more, found " +
                std::to_string(examples) + " in batches of " + std::to_string(batch_size));
  comm_detail::resize_buffer(examples_, static_cast<std::size_t>(examples));
  std::iota(examples_.begin(), examples_.end(), index_t{0});
  if (order == example_order::shuffled) shuffle(key_);
}

ASHLAR_INLINE index_t shuffled_batches::size(index_t batch) const {
  if (batch < 0 || batch >= count())
    throw error("ashlar::datasets::shuffled_batches: expected one of the " + std::to_string(count()) +
                " batches, found batch " + std::to_string(batch));
  return (std::min)(batch_size_, all() - batch * batch_size_);
}

ASHLAR_INLINE std::span<index_t const> shuffled_batches::examples(index_t batch, index_t begin, index_t end) const {
  if (begin < 0 || begin > end || end > size(batch))
    throw error("ashlar::datasets::shuffled_batches: expected positions within a batch of " +
                std::to_string(size(batch)) + " examples, found " + std::to_string(begin) + " to " +
                std::to_string(end));
  return std::span(examples_).subspan(static_cast<std::size_t>(batch * batch_size_ + begin),
                                      static_cast<std::size_t>(end - begin));
}

ASHLAR_INLINE void shuffled_batches::shuffle(prng_key key) {
  for (std::size_t last = examples_.size(); last > 1; --last)
    std::swap(examples_[last - 1], examples_[random_bits(key, static_cast<index_t>(last)) % last]);
}

}  // namespace ashlar::datasets
