// Handwritten digits for the training programs.
#pragma once
#include <cstdio>
#include <vector>

#include "options.hpp"

// [digits]
/// The digits that the options name, on every rank.
inline ashlar::digit_data load_digits(ashlar::communicator const& c, options const& o) {
  using namespace ashlar;
  digit_data data = load(c, [&] { return o.data.empty() ? synthetic_digits(o.seed, 60000, 10000) : read_mnist(o.data); });
  if (c.rank() == 0)
    std::printf("%s: %ld training images, %ld test images\n", o.data.empty() ? "synthetic digits (--data or $ASHLAR_DATA names MNIST's folder)" : o.data.c_str(),
                static_cast<long>(data.train_images.extents[0]), static_cast<long>(data.test_images.extents[0]));
  return data;
}
// [digits]

inline conditions conditions_of(ashlar::digit_data const& data) {
  std::uint32_t sum = 0;
  for (ashlar::idx_array const* a : {&data.train_images, &data.train_labels}) sum = ashlar::crc32c(sum, a->bytes.data(), a->bytes.size());
  return {.examples = data.train_images.extents[0], .checksum = sum};
}

/// The share of the test images that are recognised; hits(batches, i) counts them in batch i.
template <class Hits>
double test_accuracy(ashlar::digit_data const& data, Hits hits) {
  ashlar::shuffled_batches const batches(data.test_images.extents[0], 1000, {0}, 0, ashlar::example_order::stored);
  ashlar::running_mean accuracy;
  for (ashlar::index_t i = 0; i < batches.count(); ++i) accuracy.add_sum(static_cast<double>(hits(batches, i)), batches.size(i));
  return accuracy.value();
}
