// SPDX-License-Identifier: BSL-1.0
// IDX files (the format of MNIST), gzipped or not, and the four files of a set of digits.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::io {

/// An array of bytes with its extents, row-major.
struct idx_array {
  std::vector<index_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// Grey images of digits, extents {n, 28, 28}, with their labels 0 to 9, extents {n}.
struct digit_data {
  idx_array train_images, train_labels, test_images, test_labels;
};

}  // namespace ashlar::io

namespace ashlar::io_detail {

ASHLAR_INLINE std::string existing_idx_file(std::string const& name);

// The elements of a file that is not gzipped: from byte `begin` to its end. place_of_idx returns nothing if it is
// gzipped.
struct idx_place {
  std::vector<index_t> extents;
  std::size_t begin;
};
ASHLAR_INLINE std::optional<idx_place> place_of_idx(checked_file const& file);

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Reads an IDX file of unsigned bytes: `name`, or `name`.gz if there is no `name`. The content decides whether it is
/// inflated.
/// Counts the elements in the file before it allocates memory for them. Inflates at most one byte more than the extents
/// declare. (The elements of a gzipped file may take a thousand times its size.)
/// Pre: nobody else writes the file.
/// Post: bytes.size() == product of extents.
/// Collective: no.
/// Cost: reads the file twice.
/// Error: ashlar::error with the expected and the found value, if the file is not whole or a checksum differs.
/// Example: io::read_idx("mnist/t10k-labels-idx1-ubyte").extents == std::vector<index_t>{10000}
ASHLAR_INLINE idx_array read_idx(std::string const& name);

/// Reads MNIST, or another set in its format: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte
/// and t10k-labels-idx1-ubyte, gzipped or not.
/// Collective: no.
/// Error: ashlar::error if a file is broken, images are not 28x28, counts differ or a label is not 0 to 9.
/// Example: io::read_mnist("mnist").train_images.extents == std::vector<index_t>{60000, 28, 28}
ASHLAR_INLINE digit_data read_mnist(std::string const& directory);

}  // namespace ashlar::io

#if ASHLAR_IMPL
#include "ashlar/io/impl/idx.ipp"
#endif
