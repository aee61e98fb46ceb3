// Handwritten digits for the training programs.
#include "digits.hpp"

using namespace ashlar;

// [digits]
// The digits that the options name, on every rank.
digit_data load_digits(communicator const& c, options const& o) {
  digit_data data =
      load(c, [&] { return o.data.empty() ? synthetic_digits(o.seed, 60000, 10000) : read_mnist(o.data); });
  std::string const source = o.data.empty() ? "synthetic digits (--data or $ASHLAR_DATA names MNIST's folder)" : o.data;
  if (c.rank() == 0)
    std::printf("%s: %ld training images, %ld test images\n", source.c_str(),
                static_cast<long>(data.train_images.extents[0]), static_cast<long>(data.test_images.extents[0]));
  return data;
}
// [digits]

conditions conditions_of(digit_data const& data) {
  std::uint32_t sum = 0;
  for (idx_array const* a : {&data.train_images, &data.train_labels})
    sum = crc32c(sum, a->bytes.data(), a->bytes.size());
  return {.examples = data.train_images.extents[0], .checksum = sum};
}
