// Files of examples on all ranks: headers are looked at together, elements are read by who needs them.
#pragma once
#include "ashlar/data/array_source.hpp"
#include "ashlar/comm/agree.hpp"

namespace ashlar {

namespace data_detail {

// What open() makes of a file on each rank, where all ranks see the same.
template <class Open>
array_source open_together(communicator const& c, std::filesystem::path const& path, char const* reader, Open open) {
  array_source const a = comm::collectively(c, [&] { return open(std::make_shared<input_file>(path, reader)); });
  std::vector<index_t> seen{a.examples(), static_cast<index_t>(a.kind())};
  seen.insert(seen.end(), a.example_extents().begin(), a.example_extents().end());
  comm::require_equal(c, seen, std::string(reader) + ": " + path.string() + ": examples, element type and extents");
  return a;
}

}  // namespace data_detail

/// The examples of an IDX file of unsigned bytes, `name` or `name`.gz. Of a plain one each rank reads its parts when it
/// needs them; a gzipped one rank 0 reads whole, and it is in the memory of all.
/// Collective: all ranks of c. Cost: each rank reads the header; or what read_idx and a broadcast cost
/// Error: what read_idx throws, on every rank
/// Example: from_arrays(open_idx(c, "train-images-idx3-ubyte"), open_idx(c, "train-labels-idx1-ubyte"))
inline array_source open_idx(communicator const& c, std::filesystem::path const& name) {
  idx_array whole;
  index_t gzipped = 0;
  comm::on_root(c, [&] {
    if (io_detail::place_of_idx(io_detail::input_file(io_detail::existing_idx_file(name), "ashlar::read_idx"))) return;
    whole = read_idx(name);
    gzipped = 1;
  });
  comm::broadcast(c, &gzipped, 1, 0);
  if (gzipped) {
    comm_detail::broadcast_array(c, whole);
    return whole;
  }
  auto const path = comm::collectively(c, [&] { return io_detail::existing_idx_file(name); });
  return data_detail::open_together(c, path, "ashlar::read_idx", [](std::shared_ptr<io_detail::input_file> const& file) {
    auto const place = io_detail::place_of_idx(*file);
    if (!place) file->fail("the file changed while it was read");
    return array_source::in_file(file, place->extents, npy_kind::u1, place->begin);
  });
}

/// The examples of a .npy file, of which each rank reads its parts when it needs them.
/// Collective: all ranks of c. Cost: each rank reads the header. Error: what read_npy throws, on every rank
inline array_source open_npy(communicator const& c, std::filesystem::path const& path) {
  return data_detail::open_together(c, path, "ashlar::read_npy", [](std::shared_ptr<io_detail::input_file> const& file) {
    io_detail::npy_place const place = io_detail::place_of_npy(*file);
    return array_source::in_file(file, place.extents, place.kind, place.begin);
  });
}

/// The examples of a file of elements T, row-major and little-endian, which begin at a byte of it and reach to its end.
/// Collective: all ranks of c
/// Error: ashlar::error, on every rank, where the file cannot be opened, or is shorter or longer than the extents say.
/// Element types that no .npy file has do not compile.
/// Example: open_raw<float>(c, "points.bin", {100000, 3})
template <class T>
array_source open_raw(communicator const& c, std::filesystem::path const& path, std::vector<index_t> const& extents, std::size_t begin = 0) {
  return data_detail::open_together(c, path, "ashlar::open_raw", [&](std::shared_ptr<io_detail::input_file> const& file) {
    data_detail::check_raw(*file, extents, sizeof(T), begin);
    return array_source::in_file(file, extents, io_detail::npy_kind_of<T>(), begin);
  });
}

}  // namespace ashlar
