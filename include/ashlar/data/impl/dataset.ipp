// SPDX-License-Identifier: BSL-1.0
// The functions of data/dataset.hpp.

namespace ashlar {

ASHLAR_INLINE dataset::dataset(std::vector<array_source> arrays) : arrays_(std::move(arrays)) {
  if (arrays_.empty()) throw error("ashlar::dataset: expected one array or more, found none");
  for (array_source const& a : arrays_)
    if (a.examples() != arrays_[0].examples())
      throw error("ashlar::dataset: expected as many examples in each array, found " +
                  std::to_string(arrays_[0].examples()) + " and " + std::to_string(a.examples()));
}

ASHLAR_INLINE std::span<index_t const> dataset::chosen() const {
  return chosen_ ? std::span<index_t const>(*chosen_) : std::span<index_t const>();
}

ASHLAR_INLINE std::pair<dataset, dataset> dataset::split(index_t n, prng_key key) const {
  if (n < 0 || n > examples())
    throw error("ashlar::dataset: expected to split off 0 to " + std::to_string(examples()) + " examples, found " +
                std::to_string(n));
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

ASHLAR_INLINE dataset dataset::shuffle(prng_key key) const {
  return with([&](batching& b) { b.order = example_order::shuffled, b.key = key; });
}

ASHLAR_INLINE dataset dataset::batch(index_t n, last_batch last) const {
  if (n < 1) throw error("ashlar::dataset: expected batches of 1 example or more, found " + std::to_string(n));
  return with([&](batching& b) { b.size = n, b.last = last; });
}

ASHLAR_INLINE dataset dataset::prefetch(int depth) const {
  if (depth < 0) throw error("ashlar::dataset: expected to prefetch 0 batches or more, found " + std::to_string(depth));
  return with([&](batching& b) { b.prefetch = depth; });
}

ASHLAR_INLINE dataset dataset::cache() const {
  dataset d = *this;
  for (array_source& a : d.arrays_) a = a.cached();
  return d;
}

}  // namespace ashlar
