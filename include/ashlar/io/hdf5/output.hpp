// SPDX-License-Identifier: BSL-1.0
// New HDF5 files, and the elements of new datasets.
#pragma once
#include "ashlar/io/hdf5/chunks.hpp"

namespace ashlar::io_detail {

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
inline void require_same_attributes(communicator const& c, std::string const& what,
                                    std::vector<hdf5_attribute> const& all) {
  std::vector<index_t> same;
  add_sums(same, all);
  comm::require_equal(c, same, what + ": attributes (as checksums)");
}

/// Checks that all ranks describe the same field. Packs chunks that are compressed, and stores the sizes of all chunks.
/// Collective: all ranks of c, which are the ranks of the field's mesh. `what` begins errors.
inline packed_chunks pack_field(communicator const& c, std::string const& what, hdf5_field& field) {
  hdf5_dataset& set = field.set;
  std::vector<index_t> same{static_cast<index_t>(crc32c(0, set.name.data(), set.name.size())),
                            static_cast<index_t>(set.type), set.options.deflate, set.options.shuffle};
  same.insert(same.end(), set.extents.extent, set.extents.extent + set.extents.rank);
  same.insert(same.end(), set.options.chunk.begin(), set.options.chunk.end());
  comm::require_equal(c, same, what + ": names (as checksums), types, filters, extents and chunks");
  require_same_attributes(c, what, set.options.attributes);
  packed_chunks packed;
  if (set.options.deflate != 0) {
    std::optional<std::string> failure;
    pack_chunks(c, field, failure, [&](index_t, unsigned char const* chunk, std::size_t bytes) {
      packed.add({chunk, chunk + bytes});
    });
    throw_together(c, std::move(failure), true);
    set.chunk_bytes = packed.gather(c, field.array(), set.grid()).bytes;
  } else if (set.is_chunked()) {
    set.chunk_bytes.assign(static_cast<std::size_t>(set.grid().count()), set.elements_of_chunk() * set.element_bytes());
  }
  return packed;
}

/// Writes the elements of a field, whose places rank 0 has in field.set.offsets. Collective: all ranks of c.
/// A failed write becomes `failure`.
inline void write_elements(communicator const& c, checked_file const& file, hdf5_field& field,
                           packed_chunks const& packed, std::optional<std::string>& failure) {
  hdf5_dataset& set = field.set;
  exchange_buffers const buffers = comm::collectively(c, [&] {
    set.offsets.resize(set.is_chunked() ? set.chunk_bytes.size() : set.extents.size() != 0);
    return exchange_buffers();
  });
  std::vector<std::uint64_t> const& places = set.offsets;
  comm::broadcast(c, set.offsets.data(), places.size(), 0);
  if (set.options.deflate != 0) {
    run_catching([&] { packed.write(file, places, cells_of(field.array(), set.grid(), field.shard.rank).begin); },
                 failure);
  } else if (set.is_chunked()) {
    pack_chunks(c, field, failure, [&](index_t k, unsigned char const* chunk, std::size_t bytes) {
      file.write(places[static_cast<std::size_t>(k)], chunk, bytes);
    });
  } else if (!places.empty()) {
    write_shard(field.shard, buffers, failure, [&](index_t first, index_t k, unsigned char const* from) {
      file.write(places[0] + static_cast<std::uint64_t>(first) * field.array().element_bytes, from,
                 static_cast<std::size_t>(k) * field.array().element_bytes);
    });
  }
}

/// A new HDF5 file, which all ranks write. Rank 0 has its description in memory until all elements are on the disk.
/// Collective: every member, all ranks of c. Error: ashlar::error on every rank. Then the object is of no more use.
class created_hdf5 {
 public:
  created_hdf5(communicator const& c, std::string const& path, char const* caller,
               std::vector<hdf5_attribute> const& of_file = {})
      : ranks_(c), what_(std::string(caller) + ": " + path), out_(c, path, caller) {
    if (!of_file.empty()) require_same_attributes(c, what_, of_file);
    out_.create_and_open([&](checked_file const&) {
      in_hdf5(what_, [&] {
        memory_.aligns_elements = true;
        hdf5_id const access = access_to(memory_);
        hdf5_id::check_status(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "choose a version");
        file_.emplace(H5Fcreate("fields", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "create a file");
        for (hdf5_attribute const& a : of_file) write_attribute(*file_, a);
      });
      return std::uint64_t{0};
    });
    out_.begin_to_grow();
  }

  /// Adds a dataset, and writes its elements. The ranks of c are the ranks of the field's mesh.
  void write(hdf5_field& field) {
    packed_chunks const packed = pack_field(ranks_, what_, field);
    comm::on_root(ranks_, [&] {
      hdf5_dataset& set = field.set;
      in_hdf5(what_, [&] { describe_dataset(memory_, *file_, set); });
      for (std::size_t k = 0; k < set.offsets.size(); ++k) {
        std::uint64_t const n = set.is_chunked() ? set.chunk_bytes[k] : field.array().bytes();
        if (n < page_bytes) small_.emplace(set.offsets[k], set.offsets[k] + n);
      }
      out_.resize(memory_.allocated);
    });
    std::optional<std::string> failure;
    write_elements(ranks_, out_.file(), field, packed, failure);
    throw_together(ranks_, std::move(failure), true);
  }
  /// Gives the file its name when all of it is on the disk.
  void commit() {
    std::optional<std::string> failure;
    run_catching([&] { ranks_.rank() == 0 ? out_.file().sync() : out_.close(); }, failure);
    throw_together(ranks_, std::move(failure), true);
    comm::on_root(ranks_, [&] {
      in_hdf5(what_, [&] { file_->close("close a file"); });
      out_.resize(memory_.size);
      small_.emplace(memory_.size, memory_.size);
      for (std::uint64_t at = 0; auto const& [begin, end] : small_) {
        memory_.for_each_written(
            at, begin - at, [&](std::uint64_t to, char const* from, std::size_t n) { out_.file().write(to, from, n); });
        at = end;
      }
      out_.close();
      out_.publish();
    });
  }

 private:
  communicator ranks_;
  std::string what_;
  shared_output out_;
  // On rank 0. Elements have pages of their own. Elements that take less than a page share one with the description.
  sparse_memory memory_;  // HDF5 knows its address
  std::optional<hdf5_id> file_;
  std::map<std::uint64_t, std::uint64_t> small_;
};

}  // namespace ashlar::io_detail
