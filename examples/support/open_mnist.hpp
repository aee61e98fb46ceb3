// SPDX-License-Identifier: BSL-1.0
// MNIST's four files as datasets.
#pragma once
#include <array>

#include "ashlar/config.hpp"
#include "ashlar/comm/collectives/broadcast.hpp"
#include "ashlar/data/dataset.hpp"
#include "ashlar/data/open.hpp"
#include "ashlar/io/crc32c.hpp"

namespace ashlar {

namespace data_detail {

// Rank 0 looks through the labels.
ASHLAR_INLINE void require_digits(communicator const& c, dataset const& d, std::string const& name);

}  // namespace data_detail

/// Digits as datasets of two arrays: images and labels.
struct digit_sets {
  dataset training, test;
};

/// Opens MNIST's four IDX files in a folder, gzipped or not. Each rank reads the images of its shards when it needs them;
/// of gzipped files every rank keeps all.
/// Collective: all ranks of c.
/// Cost: as open_idx; rank 0 reads all labels.
/// Error: ashlar::error on every rank as open_idx; if images are not 28 x 28, if there is none, or if a label is above 9.
/// Example: auto const [training, test] = open_mnist(m.communicator(), "mnist");
ASHLAR_INLINE digit_sets open_mnist(communicator const& c, std::string const& folder);

/// The same datasets from digits in memory.
/// Example: auto const [training, test] = digit_sets_of(synthetic_digits(prng_key{1}, 60000, 10000));
ASHLAR_INLINE digit_sets digit_sets_of(digit_data data);

/// The CRC-32C of all bytes of a dataset's arrays, one array after the other. Rank 0 reads them once.
/// Collective: all ranks of c. Post: the same on every rank.
/// Example: conditions{.checksum = checksum(m.communicator(), training)}
ASHLAR_INLINE std::uint32_t checksum(communicator const& c, dataset const& d);

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/data/compiled/open_mnist.hpp"
#endif
