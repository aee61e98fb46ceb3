// SPDX-License-Identifier: BSL-1.0
// HDF5's description of datasets whose elements the ranks write.
#pragma once
#include "ashlar/io/array_cells.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/hdf5/types.hpp"
#include "ashlar/layout/shape.hpp"
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ashlar::io {

/// A name with a text, a number, or a vector of these: an attribute of an HDF5 dataset or file. hdf5_file::read_attribute reads it.
/// Pre: the name and texts are UTF-8, without null bytes. Else all that writes them throws, and writes no file.
/// Example: {"spacing", std::vector<double>{0.1, 0.2}}
using hdf5_attribute = std::pair<std::string, std::variant<std::string, index_t, double, std::vector<std::string>,
                                                           std::vector<index_t>, std::vector<double>>>;

/// How hdf5_file stores a dataset.
struct hdf5_options {
  /// Extents of a chunk, which are cut to the dataset's. Empty: one contiguous block, or chunks of about 1 MiB if a filter is on.
  std::vector<index_t> chunk = {};
  /// Level of compression, 1 to 9; 0 is none.
  int deflate = 0;
  /// Orders the bytes of a chunk's elements by significance, so that they compress better.
  bool shuffle = false;
  std::vector<hdf5_attribute> attributes = {};
};

}  // namespace ashlar::io

namespace ashlar::io_detail {

/// A dataset of a file that is not written yet.
struct hdf5_dataset {
  std::string name;
  array_type type = array_type::float64;
  shape extents;
  hdf5_options options = {};                                  // a chunk of no extents is contiguous
  std::vector<std::uint64_t> chunk_bytes = {}, offsets = {};  // of the chunks, row-major, or of the one block

  bool is_chunked() const { return !options.chunk.empty(); }
  std::size_t element_bytes() const { return name_of(type).bits / 8; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(extents.size()) * element_bytes(); }
  /// The grid of the chunks.
  cell_grid grid() const { return {extents, shape_of(options.chunk), whole_region(extents)}; }
  std::size_t elements_of_chunk() const {
    return static_cast<std::size_t>(
        std::accumulate(options.chunk.begin(), options.chunk.end(), index_t{1}, std::multiplies<>()));
  }
};

/// Checks the options, and chooses chunks if a filter needs them. Error: ashlar::error, the same on every rank.
inline void choose_chunks(hdf5_dataset& set) {
  hdf5_options& o = set.options;
  auto const rank = static_cast<std::size_t>(set.extents.rank);
  if (!is_path_of_names(set.name)) throw error("expected a name like fields/u, found " + shown(set.name, 100));
  if (o.deflate < 0 || o.deflate > 9)
    throw error("expected a level of deflate from 0 to 9, found " + std::to_string(o.deflate));
  if (o.chunk.empty() && (o.deflate != 0 || o.shuffle)) {
    if (rank == 0) throw error("expected no filter for a scalar; leave out deflate and shuffle");
    o.chunk.assign(set.extents.extent, set.extents.extent + rank);
    for (index_t& n : o.chunk) n = std::max<index_t>(n, 1);
    for (std::size_t d = 0; d < rank; ++d)
      while (o.chunk[d] > 1 && set.elements_of_chunk() * set.element_bytes() > std::size_t{1} << 20)
        o.chunk[d] = (o.chunk[d] + 1) / 2;
  }
  bool fits = o.chunk.empty() || (o.chunk.size() == rank && rank != 0);
  double bytes = static_cast<double>(set.element_bytes());
  for (index_t const n : o.chunk) fits = fits && n >= 1, bytes *= static_cast<double>(n);
  if (!fits || bytes >= 4294967296.)
    throw error("expected a chunk of an extent of 1 or more per dimension (" +
                extents_text({set.extents.extent, set.extents.extent + rank}) + "), below 4 GiB, found " +
                extents_text(o.chunk));
  for (std::size_t d = 0; d < o.chunk.size(); ++d)  // as HDF5 demands
    o.chunk[d] = (std::min)(o.chunk[d], std::max<index_t>(set.extents[static_cast<int>(d)], 1));
}

/// Writes a value as an attribute.
class attribute_writer {
 public:
  attribute_writer(hid_t object, std::string attribute) : object_(object), name_(std::move(attribute)) {}
  void operator()(index_t const& x) const { write(H5T_STD_I64LE, scalar_space(), &x); }
  void operator()(double const& x) const { write(H5T_IEEE_F64LE, scalar_space(), &x); }
  void operator()(std::string const& x) const { write_texts(object_, name_, {x}, scalar_space()); }
  void operator()(std::vector<index_t> const& x) const { write(H5T_STD_I64LE, row(x.size()), x.data()); }
  void operator()(std::vector<double> const& x) const { write(H5T_IEEE_F64LE, row(x.size()), x.data()); }
  void operator()(std::vector<std::string> const& x) const { write_texts(object_, name_, x, row(x.size())); }

 private:
  static hdf5_id row(hsize_t count) { return hdf5_id(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a space"); }
  void write(hid_t type, hdf5_id const& space, void const* value) const {
    write_attribute(object_, name_, type, space, value);
  }
  hid_t object_;
  std::string name_;
};
inline void write_attribute(hid_t object, hdf5_attribute const& a) {
  std::visit(attribute_writer(object, a.first), a.second);
}

/// Tells HDF5 of each chunk of a grid, whose `bytes` HDF5's driver of the file does not write. Returns the places of the
/// chunks. `masks` are the filters that a chunk leaves out.
inline std::vector<std::uint64_t> place_chunks(driven_file& file, hid_t id, cell_grid const& grid,
                                               std::vector<std::uint64_t> const& bytes,
                                               std::vector<std::uint32_t> const& masks) {
#if H5_VERSION_GE(1, 10, 3)
  // Memory of the largest chunk, which nobody reads.
  auto const none = comm_detail::byte_buffer(bytes.empty() ? 1 : (std::ranges::max)(bytes));
  file.placed = none.get();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    region const cell = grid.cell_at(static_cast<index_t>(k));
    std::vector<hsize_t> first;
    for (int d = 0; d < cell.rank; ++d) first.push_back(static_cast<hsize_t>(cell.dim[d].begin));
    hdf5_id::check_status(
        H5Dwrite_chunk(id, H5P_DEFAULT, masks[k], first.data(), static_cast<std::size_t>(bytes[k]), none.get()),
        "place a chunk");
    if (file.places.size() != k + 1) throw error("HDF5 does not write a chunk at once");
  }
  file.placed = nullptr;
  return std::exchange(file.places, {});
#else
  (void)file, (void)id, (void)grid, (void)bytes, (void)masks;
  throw error("HDF5 before 1.10.3 cannot write chunks; leave out chunk, deflate and shuffle");
#endif
}

/// Makes the dataset in an open file, whose bytes are in `storage`. Stores where the elements belong.
inline void describe_dataset(driven_file& storage, hid_t file, hdf5_dataset& set) {
  hdf5_id const links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_create_intermediate_group(links, 1), "make groups");
  hdf5_id const creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "leave out filling");
  hdf5_id::check_status(H5Pset_obj_track_times(creation, false), "leave out times");
  std::vector<hsize_t> const chunk(set.options.chunk.begin(), set.options.chunk.end());
  if (set.is_chunked()) {
    hdf5_id::check_status(H5Pset_chunk(creation, set.extents.rank, chunk.data()), "choose chunks");
    if (set.options.shuffle) hdf5_id::check_status(H5Pset_shuffle(creation), "shuffle bytes");
    if (set.options.deflate != 0)
      hdf5_id::check_status(H5Pset_deflate(creation, static_cast<unsigned>(set.options.deflate)), "compress");
  } else {
    hdf5_id::check_status(H5Pset_layout(creation, H5D_CONTIGUOUS), "choose a layout");
    hdf5_id::check_status(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "reserve room");
  }
  hdf5_id const space = hdf5_space_of(set.extents);
  hdf5_id const type = hdf5_type_of(set.type);
  hdf5_id id(H5Dcreate2(file, set.name.c_str(), type, space, links, creation, H5P_DEFAULT), H5Dclose,
             ("create the dataset " + set.name).c_str());
  for (hdf5_attribute const& a : set.options.attributes) write_attribute(id, a);
  if (set.is_chunked())
    set.offsets =
        place_chunks(storage, id, set.grid(), set.chunk_bytes, std::vector<std::uint32_t>(set.chunk_bytes.size(), 0));
  else if (set.extents.size() != 0)
    set.offsets = {H5Dget_offset(id)};
  id.close("close a dataset");
}

}  // namespace ashlar::io_detail
