// SPDX-License-Identifier: BSL-1.0
// A dataset of an HDF5 file that exists, and a box of it.
#pragma once
#include "ashlar/io/array_runs.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/hdf5/types.hpp"
#include "ashlar/layout/split.hpp"
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::io {

/// A box of a dataset: its first index and its extents. Empty: the whole dataset.
/// Example: io::hdf5_file(m, "run.h5").read<double, layout<"p", none>>("u", {{100, 0}, {50, 64}})
struct hdf5_box {
  std::vector<index_t> begin, extents;
};

}  // namespace ashlar::io

namespace ashlar::io_detail {

/// A dataset that is open for reading. No MPI.
/// Error: ashlar::error with the caller, the file, the dataset, the expected and the found value.
class opened_dataset {
 public:
  /// Opens the dataset, and takes a box of it. fits(type, elements) throws for elements that it
  /// cannot use, which `elements` names.
  /// HDF5 keeps `cache` bytes of chunks.
  template <class Fits>
  opened_dataset(std::string file_path, std::string dataset, char const* caller, int rank, io::hdf5_box const& wanted,
                 std::size_t cache, Fits const& fits)
      : caller_(caller), path_(std::move(file_path)), name_(std::move(dataset)), bytes_(path_, caller) {
    named([&] {
      file_.emplace(open_hdf5(path_));
      hdf5_id const access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make properties");
      hdf5_id::check_status(H5Pset_chunk_cache(access, 12421, cache, 1), "size a cache");
      set_.emplace(H5Dopen2(*file_, name_.c_str(), access), H5Dclose, ("open the dataset " + name_).c_str());
      stored_.emplace(H5Dget_type(*set_), H5Tclose, ("describe " + name_).c_str());
      hdf5_id const space(H5Dget_space(*set_), H5Sclose, ("describe " + name_).c_str());
      type_ = H5Sget_simple_extent_type(space) == H5S_NULL ? array_type::unreadable : type_of_hdf5(*stored_);
      fits(type_, elements_of_hdf5(*stored_, space));
      whole_ = extents_of_hdf5(space, name_);
      bytes_of(whole_, 16, [](std::string const& what) { throw error(what); });
      if (static_cast<int>(whole_.size()) != rank)
        throw error("expected " + std::to_string(rank) + " dimensions of " + name_ + ", as the layout has, found " +
                    extents_text(whole_));
      choose(wanted);
    });
  }
  std::string const& name() const { return name_; }
  hid_t id() const { return *set_; }
  /// The elements' type, as the file has it.
  array_type type() const { return type_; }
  hid_t stored() const { return *stored_; }
  /// The extents of the dataset, and the box.
  std::vector<index_t> const& whole() const { return whole_; }
  io::hdf5_box const& box() const { return box_; }
  checked_file const& bytes() const { return bytes_; }
  hdf5_id creation() const { return hdf5_id(H5Dget_create_plist(*set_), H5Pclose, "read properties"); }

  /// The first byte of the elements, if they are row-major in this file.
  /// Error: also if the file ends before them.
  std::optional<std::uint64_t> first_byte() const {
    hdf5_id const properties = creation();
    haddr_t const at = H5Dget_offset(*set_);
    H5D_space_status_t room =
        H5D_SPACE_STATUS_NOT_ALLOCATED;  // in files with a user block HDF5 gives a place without room
    hdf5_id::check_status(H5Dget_space_status(*set_, &room), "find the elements");
    if (room == H5D_SPACE_STATUS_NOT_ALLOCATED || H5Pget_layout(properties) != H5D_CONTIGUOUS ||
        H5Pget_external_count(properties) != 0 || at == HADDR_UNDEF || !in_this_file())
      return {};
    std::uint64_t const n = bytes_of(whole_, H5Tget_size(*stored_), [](std::string const& what) { throw error(what); });
    if (at > bytes_.size() || n > bytes_.size() - at)
      throw error("expected the elements of " + name_ + " up to byte " + std::to_string(at + n) +
                  ", found the end of the file at byte " + std::to_string(bytes_.size()));
    return at;
  }
  /// False if the name is a link to a dataset of another file.
  bool in_this_file() const { return file_of_hdf5(*set_) == file_of_hdf5(*file_); }

  /// Reads the elements of a box of the dataset as elements of a type of HDF5. Returns their number.
  std::size_t read(hid_t type, std::vector<hsize_t> const& start, std::vector<hsize_t> const& size, void* to) const {
    return named([&] {
      std::string const reading = "read " + name_;
      hsize_t n = 1;
      for (hsize_t const each : size) n *= each;
      hdf5_id const space(H5Dget_space(*set_), H5Sclose, reading.c_str()),
          room(H5Screate_simple(1, &n, nullptr), H5Sclose, "make a space");
      select(space, start, size);
      hdf5_id::check_status(H5Dread(*set_, type, room, space, H5P_DEFAULT, to), reading.c_str());
      return static_cast<std::size_t>(n);
    });
  }
  /// Reads a part of the box as elements of type(), little-endian. Returns their number.
  std::size_t read_in_box(std::vector<hsize_t> start, std::vector<hsize_t> const& size, void* to) const {
    for (std::size_t d = 0; d < start.size(); ++d) start[d] += static_cast<hsize_t>(box_.begin[d]);
    return read(type_in_memory(type_, *stored_), start, size, to);
  }
  /// Reads n elements of the box, from number `first` on.
  void read_in_box(index_t first, index_t n, unsigned char* to) const {
    for_each_box<hsize_t>(box_.extents, first, first + n, [&](auto const& start, auto const& size) {
      to += read_in_box(start, size, to) * (name_of(type_).bits / 8);
    });
  }
  static void select(hid_t space, std::vector<hsize_t> const& start, std::vector<hsize_t> const& size) {
    if (!start.empty())
      hdf5_id::check_status(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
                            "select");
  }
  /// Calls f. Its errors get the caller and the file.
  template <class F>
  std::invoke_result_t<F const&> named(F const& f) const {
    return in_hdf5(std::string(caller_) + ": " + path_, f);
  }

 private:
  void choose(io::hdf5_box const& box) {
    bool const all = box.begin.empty() && box.extents.empty();
    box_ = all ? io::hdf5_box{std::vector<index_t>(whole_.size(), 0), whole_} : box;
    bool fits = box_.begin.size() == whole_.size() && box_.extents.size() == whole_.size();
    for (std::size_t d = 0; fits && d < whole_.size(); ++d)
      fits = box_.begin[d] >= 0 && box_.extents[d] >= 0 && box_.begin[d] <= whole_[d] &&
             box_.extents[d] <= whole_[d] - box_.begin[d];
    if (!fits)
      throw error("expected a box within " + name_ + " of " + extents_text(whole_) + ", found extents " +
                  extents_text(box_.extents) + " from index " + extents_text(box_.begin) + " on");
  }

  char const* caller_;
  std::string path_;
  std::string name_;
  checked_file bytes_;
  std::optional<hdf5_id> file_, set_, stored_;
  array_type type_ = array_type::unreadable;
  std::vector<index_t> whole_;
  io::hdf5_box box_;
};

}  // namespace ashlar::io_detail
