// Writes tensors to a new HDF5 file.
#pragma once
#include "ashlar/io/hdf5_chunks.hpp"

namespace ashlar::io_detail {

/// Checks that all ranks describe the same file. Collective: all ranks of c.
inline void require_same_fields(communicator const& c, std::vector<hdf5_field> const& fields, std::string const& what) {
  std::vector<index_t> same;
  for (hdf5_field const& f : fields) {
    same.insert(same.end(), {static_cast<index_t>(crc32c(0, f.set.name.data(), f.set.name.size())),
                             static_cast<index_t>(f.set.type), f.set.options.deflate, f.set.options.shuffle});
    same.insert(same.end(), f.set.extents.extent, f.set.extents.extent + f.set.extents.rank);
    same.insert(same.end(), f.set.options.chunk.begin(), f.set.options.chunk.end());
  }
  comm::require_equal(c, same, what + ": names (as checksums), types, filters, extents and chunks");
}

/// Writes the fields to a new file. Collective: all ranks of c, which are the ranks of the fields' meshes.
/// Error: ashlar::error on every rank. Then there is no new file.
inline void write_fields(communicator const& c, std::filesystem::path const& path, char const* caller,
                         std::vector<hdf5_field>& fields, std::vector<hdf5_attribute> const& of_file) {
  std::string const what = std::string(caller) + ": " + path.string();
  require_same_fields(c, fields, what);
  std::optional<std::string> failure;
  std::vector<std::optional<packed_chunks>> packed(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].set.is_chunked()) packed[i].emplace(c, fields[i], failure);
  throw_together(c, std::move(failure), true);
  failure.reset();
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (packed[i]) fields[i].set.chunk_bytes = packed[i]->sizes(c);

  std::vector<index_t> offsets;  // of all fields, one after the other
  shared_output out(c, path, caller, [&](checked_file const& file) {
    std::vector<hdf5_dataset> sets;
    for (hdf5_field const& f : fields) sets.push_back(f.set);
    sparse_memory const described = [&] {
      try {
        return describe_datasets(sets, of_file);
      } catch (error const& e) {
        throw error(what + ": " + e.what());
      }
    }();
    file.resize(described.size);
    described.for_each_written([&](std::uint64_t at, char const* from, std::size_t n) { file.write(at, from, n); });
    for (hdf5_dataset const& s : sets) offsets.insert(offsets.end(), s.offsets.begin(), s.offsets.end());
  });
  std::size_t n = 0;
  for (hdf5_field const& f : fields) n += f.set.is_chunked() ? f.set.chunk_bytes.size() : f.set.extents.size() != 0;
  exchange_buffers const buffers = comm::collectively(c, [&] {
    offsets.resize(n);
    return exchange_buffers();
  });
  comm::broadcast(c, offsets.data(), n, 0);
  auto at = offsets.begin();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    hdf5_field const& f = fields[i];
    std::size_t const count = f.set.is_chunked() ? f.set.chunk_bytes.size() : f.set.extents.size() != 0;
    std::vector<std::uint64_t> const places(at, at + static_cast<std::ptrdiff_t>(count));
    at += static_cast<std::ptrdiff_t>(count);
    auto const write_chunks = [&] { packed[i]->write(out.file(), places); };
    if (packed[i]) {
      if (!failure) run_catching(write_chunks, failure);
      packed[i].reset();
    } else if (count != 0) {
      write_shard(f.array, f.rank, f.shard, buffers, failure, [&](index_t first, index_t k, unsigned char const* from) {
        out.file().write(places[0] + static_cast<std::uint64_t>(first) * f.array.element_bytes, from,
                         static_cast<std::size_t>(k) * f.array.element_bytes);
      });
    }
  }
  out.commit(std::move(failure));
}

}  // namespace ashlar::io_detail
