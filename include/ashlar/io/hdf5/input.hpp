// SPDX-License-Identifier: BSL-1.0
// A dataset of an HDF5 file, or a box of it, whose elements are taken as elements of a tensor.
#pragma once
#include "ashlar/io/hdf5/opened.hpp"
#include "ashlar/io/same_file.hpp"
#include <optional>
#include <string>
#include <vector>

namespace ashlar::io_detail {

/// No MPI. HDF5 says where the elements are. If they are consecutive in the file, and as in memory, they are read
/// without HDF5, else by it.
/// Error: ashlar::error with the file, the dataset, the expected and the found value.
class hdf5_input {
 public:
  hdf5_input(std::string file_path, std::string dataset, array_type to, int rank, io::hdf5_box const& wanted)
      : to_(to),
        set_(std::move(file_path), dataset, hdf5_caller, rank, wanted, std::size_t{32} << 20,
             [&](array_type found, hdf5_elements const& elements) {
               if (!widens(found, to))
                 throw error("expected elements of type " + std::string(name_of(to).name) + " in " + dataset +
                             ", found " + elements.name + "; " + elements.remedy);
             }) {
    set_.named([&] {
      hdf5_id const memory = type_in_memory(set_.type(), set_.stored());
      if (H5Tequal(set_.stored(), memory) > 0 && set_.box().extents == set_.whole()) offset_ = set_.first_byte();
    });
  }
  /// The extents of the box.
  std::vector<index_t> const& extents() const { return set_.box().extents; }
  /// True if HDF5 reads the elements: a box costs one call.
  bool by_hdf5() const { return !offset_; }
  /// Numbers that are equal on ranks that read the same dataset.
  std::vector<index_t> seen() const {
    std::vector<index_t> all{static_cast<index_t>(set_.type()), static_cast<index_t>(offset_.value_or(0))};
    for (auto const& more : {set_.whole(), set_.box().begin, set_.box().extents})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  checked_file const& bytes() const { return set_.bytes(); }

  /// Reads n elements of the box from number `first` on.
  void read(index_t first, index_t n, unsigned char* to) const {
    auto const bytes = stored_bytes(), count = static_cast<std::size_t>(n);
    unsigned char* const stored = to + count * (name_of(to_).bits / 8 - bytes);
    if (offset_)
      set_.bytes().read(*offset_ + static_cast<std::uint64_t>(first) * bytes, stored, count * bytes);
    else
      set_.read_in_box(first, n, stored);
    widen_in_place(set_.type(), to_, to, count);
  }
  /// Reads the elements of a region of the box. Pre: the region is not block-cyclic.
  void read(region const& part, unsigned char* to) const {
    if (part.size() == 0) return;
    std::vector<hsize_t> start, size;
    for (int d = 0; d < part.rank; ++d) {
      start.push_back(static_cast<hsize_t>(part.dim[d][0]));
      size.push_back(static_cast<hsize_t>(part.dim[d].size()));
    }
    auto const count = static_cast<std::size_t>(part.size());
    set_.read_in_box(std::move(start), size, to + count * (name_of(to_).bits / 8 - stored_bytes()));
    widen_in_place(set_.type(), to_, to, count);
  }

 private:
  std::size_t stored_bytes() const { return name_of(set_.type()).bits / 8; }

  array_type to_;
  opened_dataset set_;
  std::optional<std::uint64_t> offset_;
};

}  // namespace ashlar::io_detail
