// A dataset of an HDF5 file, or a box of it, whose elements are taken as elements of a tensor.
#pragma once
#include "ashlar/io/array_runs.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/hdf5_types.hpp"
#include <optional>
#include <string>
#include <vector>

namespace ashlar::io_detail {

/// A box of an array: its first index and its extents.
struct array_box {
  std::vector<index_t> begin, extents;
};

/// No MPI. HDF5 says where the elements are. If they are consecutive in the file, and as in memory, they are read
/// without HDF5, else by it.
/// Error: ashlar::error with the file, the dataset, the expected and the found value.
class hdf5_input {
 public:
  hdf5_input(std::string file_path, std::string dataset, array_type to, int rank,
             std::optional<array_box> const& wanted)
      : path_(std::move(file_path)), name_(std::move(dataset)), to_(to), bytes_(path_, caller) {
    named([&] {
      file_.emplace(open_hdf5(path_));
      hdf5_id const access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make properties");
      hdf5_id::check(H5Pset_chunk_cache(access, 12421, std::size_t{32} << 20, 1), "size a cache");
      set_.emplace(H5Dopen2(*file_, name_.c_str(), access), H5Dclose, ("open the dataset " + name_).c_str());
      describe(rank);
      choose(wanted);
      find_elements();
    });
  }
  /// The extents of the box.
  std::vector<index_t> const& extents() const { return box_.extents; }
  /// True if HDF5 reads the elements: a box costs one call.
  bool by_hdf5() const { return !offset_; }
  /// Numbers that are equal on ranks that read the same dataset.
  std::vector<index_t> seen() const {
    std::vector<index_t> all{static_cast<index_t>(from_), static_cast<index_t>(offset_.value_or(0))};
    all.insert(all.end(), whole_.begin(), whole_.end());
    all.insert(all.end(), box_.begin.begin(), box_.begin.end());
    all.insert(all.end(), box_.extents.begin(), box_.extents.end());
    return all;
  }

  void require_unchanged() const { bytes_.require_unchanged(); }

  /// Reads n elements of the box from number `first` on.
  void read(index_t first, index_t n, unsigned char* to) const {
    auto const bytes = stored_bytes(), count = static_cast<std::size_t>(n);
    unsigned char* stored = to + count * (name_of(to_).bits / 8 - bytes);
    if (offset_)
      bytes_.read(*offset_ + static_cast<std::uint64_t>(first) * bytes, stored, count * bytes);
    else
      for_each_box(box_.extents, first, first + n,
                   [&](auto const& start, auto const& size) { stored += read_by_hdf5(start, size, stored) * bytes; });
    widen_in_place(from_, to_, to, count);
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
    read_by_hdf5(start, size, to + count * (name_of(to_).bits / 8 - stored_bytes()));
    widen_in_place(from_, to_, to, count);
  }

 private:
  static constexpr char const* caller = "ashlar::load_hdf5";
  std::size_t stored_bytes() const { return name_of(from_).bits / 8; }

  void describe(int rank) {
    hdf5_id const type(H5Dget_type(*set_), H5Tclose, ("describe " + name_).c_str()),
        space(H5Dget_space(*set_), H5Sclose, ("describe " + name_).c_str());
    from_ = H5Sget_simple_extent_type(space) == H5S_NULL ? array_type::unreadable : type_of_hdf5(type);
    if (!widens(from_, to_))
      throw error("expected elements of type " + std::string(name_of(to_).name) + " in " + name_ + ", found " +
                  std::string(name_of(from_).name) + "; make a tensor of that type and cast it");
    whole_ = extents_of_hdf5(space, name_);
    bytes_of(whole_, 16, [](std::string const& what) { throw error(what); });
    if (static_cast<int>(whole_.size()) != rank)
      throw error("expected " + std::to_string(rank) + " dimensions of " + name_ + ", as the layout has, found " +
                  extents_text(whole_));
  }
  void choose(std::optional<array_box> const& box) {
    box_ = box.value_or(array_box{std::vector<index_t>(whole_.size(), 0), whole_});
    bool fits = box_.begin.size() == whole_.size() && box_.extents.size() == whole_.size();
    for (std::size_t d = 0; fits && d < whole_.size(); ++d)
      fits = box_.begin[d] >= 0 && box_.extents[d] >= 0 && box_.begin[d] <= whole_[d] &&
             box_.extents[d] <= whole_[d] - box_.begin[d];
    if (!fits)
      throw error("expected a box within " + name_ + " of " + extents_text(whole_) + ", found extents " +
                  extents_text(box_.extents) + " from index " + extents_text(box_.begin) + " on");
  }
  // Finds the first byte of elements that are row-major in the file, with the bytes of memory.
  void find_elements() {
    hdf5_id const creation(H5Dget_create_plist(*set_), H5Pclose, "read properties");
    hdf5_id const stored(H5Dget_type(*set_), H5Tclose, "open a type"), memory = type_in_memory(from_, stored);
    haddr_t const at = H5Dget_offset(*set_);
    bool const plain = H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0 &&
                       H5Tequal(stored, memory) > 0 && at != HADDR_UNDEF && box_.extents == whole_;
    if (!plain) return;
    std::uint64_t const n = bytes_of(whole_, stored_bytes(), [](std::string const& what) { throw error(what); });
    if (at > bytes_.size() || n > bytes_.size() - at)
      throw error("expected the elements of " + name_ + " up to byte " + std::to_string(at + n) +
                  ", found the end of the file at byte " + std::to_string(bytes_.size()));
    offset_ = at;
  }
  // Returns the number of elements.
  std::size_t read_by_hdf5(std::vector<hsize_t> start, std::vector<hsize_t> const& size, unsigned char* to) const {
    return named([&] {
      std::string const reading = "read " + name_;
      hsize_t n = 1;
      for (std::size_t d = 0; d < start.size(); ++d) start[d] += static_cast<hsize_t>(box_.begin[d]), n *= size[d];
      hdf5_id const stored(H5Dget_type(*set_), H5Tclose, "open a type");
      hdf5_id const type = type_in_memory(from_, stored), space(H5Dget_space(*set_), H5Sclose, reading.c_str()),
                    room(H5Screate_simple(1, &n, nullptr), H5Sclose, "make a space");
      if (!start.empty())
        hdf5_id::check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
                       "select");
      hdf5_id::check(H5Dread(*set_, type, room, space, H5P_DEFAULT, to), reading.c_str());
      return static_cast<std::size_t>(n);
    });
  }
  template <class F>
  std::invoke_result_t<F const&> named(F const& f) const {
    hdf5_silence const silence;
    try {
      return f();
    } catch (error const& e) {
      throw error(std::string(caller) + ": " + path_ + ": " + e.what());
    }
  }

  std::string path_;
  std::string name_;
  array_type to_, from_ = array_type::unreadable;
  checked_file bytes_;
  std::optional<hdf5_id> file_, set_;
  std::vector<index_t> whole_;
  array_box box_;
  std::optional<std::uint64_t> offset_;
};

}  // namespace ashlar::io_detail
