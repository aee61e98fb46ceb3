// SPDX-License-Identifier: BSL-1.0
// The functions of data/open_mnist.hpp.
#pragma once
#include <algorithm>
#include "ashlar/data/open_mnist.hpp"

namespace ashlar::data_detail {

ASHLAR_INLINE void require_digits(communicator const& c, dataset const& d, std::string const& name) {
  array_source const &images = d.arrays()[0], &labels = d.arrays()[1];
  comm::on_root(c, [&] {
    auto const extents = images.example_extents();
    if (extents.size() != 2 || extents[0] != 28 || extents[1] != 28 || labels.size() != 1 || images.examples() < 1)
      throw error("ashlar::open_mnist: " + name +
                  ": expected images of 28 x 28 bytes, one or more, and a label of one byte for each; name a folder "
                  "with MNIST's files");
    for (index_t i = 0; i < labels.examples(); ++i)
      if (std::uint8_t byte = 0, label = *labels.read(i, 0, 1, &byte); label > 9)
        throw error("ashlar::open_mnist: " + name + ": expected labels 0 to 9, found " + std::to_string(label) +
                    " at index " + std::to_string(i) + "; name a folder with MNIST's files");
  });
}

}  // namespace ashlar::data_detail

namespace ashlar {

ASHLAR_INLINE digit_sets open_mnist(communicator const& c, std::string const& folder) {
  auto const open = [&](char const* part) {
    std::string const name = io_detail::inside(folder, part);
    auto images = open_idx(c, name + "-images-idx3-ubyte");
    dataset const d = from_arrays(std::move(images), open_idx(c, name + "-labels-idx1-ubyte"));
    data_detail::require_digits(c, d, name);
    return d;
  };
  dataset training = open("train");
  return {std::move(training), open("t10k")};
}

ASHLAR_INLINE digit_sets digit_sets_of(digit_data data) {
  return {from_arrays(std::move(data.train_images), std::move(data.train_labels)),
          from_arrays(std::move(data.test_images), std::move(data.test_labels))};
}

ASHLAR_INLINE std::uint32_t checksum(communicator const& c, dataset const& d) {
  std::uint32_t sum = 0;
  comm::on_root(c, [&] {
    for (array_source const& a : d.arrays()) {
      std::vector<std::uint8_t> scratch(static_cast<std::size_t>(a.size()));
      for (index_t i = 0; i < a.examples(); ++i)
        sum = crc32c(sum, a.read(i, 0, a.size(), scratch.data()), scratch.size());
    }
  });
  comm::broadcast(c, &sum, 1, 0);
  return sum;
}

}  // namespace ashlar
