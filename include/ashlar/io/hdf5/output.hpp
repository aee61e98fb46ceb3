// SPDX-License-Identifier: BSL-1.0
// Writes tensors to a new HDF5 file.
#pragma once
#include "ashlar/io/hdf5/chunks.hpp"

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

/// Adds numbers that are equal for equal attributes: their number, and the checksum of each name and value.
inline void add_sums(std::vector<index_t>& sums, std::vector<hdf5_attribute> const& all) {
  sums.push_back(static_cast<index_t>(all.size()));
  for (hdf5_attribute const& a : all) {
    std::uint32_t sum = 0;
    auto const add = [&](auto const& self, auto const& x) -> void {
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(x)>>) {
        sum = crc32c(sum, &x, sizeof x);
      } else {
        self(self, x.size());
        for (auto const& one : x) self(self, one);
      }
    };
    add(add, a.first);
    add(add, a.second.index());
    std::visit([&](auto const& x) { add(add, x); }, a.second);
    sums.push_back(static_cast<index_t>(sum));
  }
}

/// Checks that all ranks give the same attributes. Collective: all ranks of c.
inline void require_same_attributes(communicator const& c, std::vector<hdf5_field> const& fields,
                                    std::vector<hdf5_attribute> const& of_file, std::string const& what) {
  std::vector<index_t> same;
  add_sums(same, of_file);
  for (hdf5_field const& f : fields) add_sums(same, f.set.options.attributes);
  comm::require_equal(c, same, what + ": attributes (as checksums)");
}

/// Checks that all ranks describe the same fields, compresses their chunks, and stores the sizes of all chunks.
/// Collective: all ranks of c, which are the ranks of the fields' meshes.
inline std::vector<packed_chunks> pack_fields(communicator const& c, std::string const& what,
                                              std::vector<hdf5_field>& fields,
                                              std::vector<hdf5_attribute> const& of_file) {
  require_same_fields(c, fields, what);
  require_same_attributes(c, fields, of_file, what);
  std::optional<std::string> failure;
  std::vector<packed_chunks> packed(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].set.options.deflate != 0)
      pack_chunks(c, fields[i], failure, [&](index_t, unsigned char const* chunk, std::size_t bytes) {
        packed[i].add({chunk, chunk + bytes});
      });
  throw_together(c, std::move(failure), true);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    hdf5_dataset& set = fields[i].set;
    if (set.options.deflate != 0)
      set.chunk_bytes = packed[i].gather(c, fields[i].array(), set.grid()).bytes;
    else if (set.is_chunked())
      set.chunk_bytes.assign(static_cast<std::size_t>(set.grid().count()),
                             set.elements_of_chunk() * set.element_bytes());
  }
  return packed;
}

/// Calls describe(datasets), which makes the datasets in an open file. Returns the places of their elements, one after
/// the other. Errors get the begin `what`.
template <class Describe>
std::vector<index_t> places_of_fields(std::vector<hdf5_field> const& fields, std::string const& what,
                                      Describe const& describe) {
  std::vector<hdf5_dataset> sets;
  for (hdf5_field const& f : fields) sets.push_back(f.set);
  with_begin(what + ": ", [&] { describe(sets); });
  std::vector<index_t> offsets;
  for (hdf5_dataset const& s : sets) offsets.insert(offsets.end(), s.offsets.begin(), s.offsets.end());
  return offsets;
}

/// Writes the elements of the fields. Rank 0 has their places. Collective: all ranks of c.
/// A failed write becomes `failure`.
inline void write_elements(communicator const& c, checked_file const& file, std::vector<hdf5_field> const& fields,
                           std::vector<packed_chunks> packed, std::vector<index_t> offsets,
                           std::optional<std::string>& failure) {
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
    auto const write_packed = [&] {
      packed[i].write(file, places, cells_of(f.array(), f.set.grid(), f.shard.rank).begin);
    };
    if (f.set.options.deflate != 0) {
      run_catching(write_packed, failure);
      packed[i] = {};
    } else if (f.set.is_chunked()) {
      pack_chunks(c, f, failure, [&](index_t k, unsigned char const* chunk, std::size_t bytes) {
        file.write(places[static_cast<std::size_t>(k)], chunk, bytes);
      });
    } else if (count != 0) {
      write_shard(f.shard, buffers, failure, [&](index_t first, index_t k, unsigned char const* from) {
        file.write(places[0] + static_cast<std::uint64_t>(first) * f.array().element_bytes, from,
                   static_cast<std::size_t>(k) * f.array().element_bytes);
      });
    }
  }
}

/// Writes the fields to a new file. Collective: all ranks of c, which are the ranks of the fields' meshes.
/// Error: ashlar::error on every rank. Then there is no new file.
inline void write_fields(communicator const& c, std::string const& path, char const* caller,
                         std::vector<hdf5_field>& fields, std::vector<hdf5_attribute> const& of_file) {
  std::string const what = std::string(caller) + ": " + path;
  std::vector<packed_chunks> packed = pack_fields(c, what, fields, of_file);
  std::vector<index_t> offsets;
  shared_output out(c, path, caller, [&](checked_file const& file) {
    sparse_memory described;
    offsets = places_of_fields(fields, what,
                               [&](std::vector<hdf5_dataset>& sets) { described = describe_datasets(sets, of_file); });
    file.resize(described.size);
    described.for_each_written(0, described.size,
                               [&](std::uint64_t at, char const* from, std::size_t n) { file.write(at, from, n); });
    return described.size;
  });
  std::optional<std::string> failure;
  write_elements(c, out.file(), fields, std::move(packed), std::move(offsets), failure);
  out.commit(std::move(failure));
}

}  // namespace ashlar::io_detail
