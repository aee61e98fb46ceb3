// SPDX-License-Identifier: BSL-1.0
// Files of examples on all ranks. All ranks read the header together; each rank reads the elements that it needs.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/data/array_source.hpp"
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/same_file.hpp"

namespace ashlar::data_detail {

// Calls open() on a file on each rank, and checks that all ranks find the same examples, element type, extents and
// content.
template <class Open>
array_source open_together(communicator const& c, std::string const& path, char const* reader, Open open) {
  std::shared_ptr<checked_file> file;
  array_source const a = comm::collectively(c, [&] {
    file = std::make_shared<checked_file>(path, reader);
    return open(file);
  });
  std::vector<index_t> seen{a.examples(), static_cast<index_t>(a.kind())};
  seen.insert(seen.end(), a.example_extents().begin(), a.example_extents().end());
  comm::require_equal(c, seen, std::string(reader) + ": " + path + ": examples, element type and extents");
  require_same_content(c, *file);
  return a;
}

}  // namespace ashlar::data_detail

namespace ashlar::datasets {

/// Opens an IDX file of unsigned bytes, `name` or `name`.gz. Each rank reads its parts of a plain file when it needs
/// them. Rank 0 reads a gzipped file as a whole, and every rank keeps it in memory.
/// Collective: all ranks of c.
/// Cost: each rank reads the header. On several nodes, one rank per node reads the file, or 64 MiB of a larger one: the
/// nodes compare size and checksum. For a gzipped file: read_idx on rank 0 and a broadcast.
/// Error: as read_idx, on every rank. Also if files of nodes differ.
/// Example: datasets::from_arrays(datasets::open_idx(m, "train-images-idx3-ubyte"), datasets::open_idx(m, "train-labels-idx1-ubyte"))
ASHLAR_INLINE array_source open_idx(io_detail::calling_ranks const& c, std::string const& name);

/// Opens a .npy file. Each rank reads its parts when it needs them.
/// Collective: all ranks of c. Cost: as open_idx of a plain file. Error: as read_npy, on every rank. Also if files of
/// nodes differ.
/// Example: datasets::from_arrays(datasets::open_npy(m, "images.npy"), datasets::open_npy(m, "labels.npy"))
ASHLAR_INLINE array_source open_npy(io_detail::calling_ranks const& c, std::string const& path);

/// Opens a file without a header. Its elements T are row-major and little-endian, from byte `begin` to the end of the
/// file.
/// Collective: all ranks of c.
/// Cost: no rank reads the elements before it needs them, except to compare files of nodes, as open_idx.
/// Error: ashlar::error on every rank if the file cannot be opened, or is shorter or longer than the extents declare.
/// Also if files of nodes differ.
/// Element types that npy_kind lacks do not compile.
/// Example: datasets::open_raw<float>(m, "points.bin", {100000, 3})
template <class T>
array_source open_raw(io_detail::calling_ranks const& c, std::string const& path, std::vector<index_t> const& extents,
                      std::size_t begin = 0) {
  comm_detail::calls_as const here(c.ranks, "open_raw", c.site, extents.size());
  return data_detail::open_together(c.ranks, path, "ashlar::datasets::open_raw",
                                    [&](std::shared_ptr<io_detail::checked_file> const& file) {
                                      data_detail::check_raw(*file, extents, sizeof(T), begin);
                                      return array_source::in_file(file, extents, io_detail::npy_kind_of<T>(), begin);
                                    });
}

}  // namespace ashlar::datasets

#if ASHLAR_IMPL
#include "ashlar/data/impl/open.ipp"
#endif
