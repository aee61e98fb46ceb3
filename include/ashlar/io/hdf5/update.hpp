// SPDX-License-Identifier: BSL-1.0
// Writes a box of a dataset of an HDF5 file that exists.
#pragma once
#include "ashlar/io/crc32c.hpp"
#include "ashlar/io/hdf5/chunks.hpp"
#include "ashlar/io/hdf5/encoder.hpp"

namespace ashlar::io_detail {

/// A tensor that becomes a box of a dataset, and the dataset. Each rank has one.
class hdf5_target {
 public:
  /// No MPI. Error: ashlar::error if the box does not fit the dataset, or the dataset cannot be written.
  hdf5_target(checked_file& opened, std::string const& file_name, std::string const& dataset, array_type from,
              shape const& extents, std::vector<index_t> first)
      : from_(from),
        out_(opened),
        set_(file_name, dataset, hdf5_caller, extents.rank,
             io::hdf5_box{std::move(first), {extents.extent, extents.extent + extents.rank}}, 0,
             [&](array_type found, hdf5_elements const& elements) { require_fit(from, found, elements, dataset); }),
        creation_(set_.creation()) {
    set_.named([&] {
      H5D_layout_t const layout = H5Pget_layout(creation_);
      char const* const elsewhere = elements_elsewhere(creation_);
      if (!set_.in_this_file()) throw error("expected " + dataset + " in this file, found a link to another");
      if (elsewhere || layout == H5D_COMPACT)
        throw error("expected " + dataset + " contiguous or in chunks, found " +
                    (elsewhere ? elsewhere : "compact storage") + "; write it anew, as by h5repack");
      if (layout == H5D_CHUNKED) {
        require_filters(creation_, dataset);
        hsize_t chunk[H5S_MAX_RANK]{};
        H5Pget_chunk(creation_, H5S_MAX_RANK, chunk);
        grid_.emplace(cell_grid{shape_of(set_.whole()), {}, box()});
        grid_->cell.rank = extents.rank;
        for (int d = 0; d < extents.rank; ++d) grid_->cell[d] = static_cast<index_t>(chunk[d]);
      } else
        offset_ = set_.first_byte();
      memory_.emplace(type_in_memory(set_.type(), set_.stored()));
      converts_ = H5Tequal(set_.stored(), *memory_) <= 0;
      stored_bytes_ = H5Tget_size(set_.stored());
    });
  }
  checked_file& file() { return out_; }
  opened_dataset const& set() const { return set_; }
  bool is_chunked() const { return grid_.has_value(); }
  bool has_filters() const { return H5Pget_nfilters(creation_) > 0; }
  cell_grid const& grid() const { return *grid_; }
  std::size_t chunk_bytes() const { return static_cast<std::size_t>(grid_->cell.size()) * stored_bytes_; }
  /// The first byte of a contiguous dataset, unless the file has no room for it yet.
  std::optional<std::uint64_t> offset() const { return offset_; }
  void set_offset(std::uint64_t at) { offset_ = at; }
  /// Numbers that are equal on ranks that write the same dataset.
  std::vector<index_t> seen() const {
    std::string_view name = set_.name();
    name.remove_prefix((std::min)(name.find_first_not_of('/'), name.size()));
    std::vector<index_t> all{static_cast<index_t>(name.size()),
                             static_cast<index_t>(crc32c(0, name.data(), name.size())),
                             static_cast<index_t>(from_),
                             static_cast<index_t>(set_.type()),
                             static_cast<index_t>(stored_bytes_),
                             is_chunked(),
                             static_cast<index_t>(offset_.value_or(0)),
                             H5Pget_nfilters(creation_)};
    for (auto const& more : {set_.whole(), set_.box().begin, set_.box().extents})
      all.insert(all.end(), more.begin(), more.end());
    if (is_chunked()) all.insert(all.end(), grid_->cell.extent, grid_->cell.extent + grid_->cell.rank);
    return all;
  }

  /// Writes n elements of the box, from number `first` on, to a contiguous dataset.
  void write(index_t first, index_t n, unsigned char const* from) {
    shape const whole = shape_of(set_.whole());
    for_each_slice(first, n, from, [&](index_t begin, index_t end, unsigned char const* stored) {
      for_each_run(box(), whole, begin, end, [&](index_t k, index_t number, index_t length) {
        out_.write(*offset_ + bytes(number), stored + bytes(k - begin), bytes(length));
      });
    });
  }
  /// Packs chunk k, whose part of the box has these elements, row-major. Reads the other elements of the chunk first.
  chunk_encoder::packed pack(index_t k, unsigned char const* elements) {
    return set_.named([&] {
      region const cell = grid_->cell_at(k), part = grid_->part(k);
      chunk_.clear();
      comm_detail::resize_buffer(chunk_, bytes(cell.size()));
      if (part.size() != cell.size()) read(cell);
      region in_cell = part;
      for (int d = 0; d < part.rank; ++d) in_cell.dim[d] = moved(part.dim[d], box().dim[d].begin);
      in_cell = relative_to(cell, in_cell);
      for_each_slice(0, part.size(), elements, [&](index_t begin, index_t end, unsigned char const* stored) {
        for_each_run(in_cell, cell.extents(), begin, end, [&](index_t i, index_t number, index_t length) {
          std::memcpy(chunk_.data() + bytes(number), stored + bytes(i - begin), bytes(length));
        });
      });
      if (!encoder_) encoder_ = std::make_unique<chunk_encoder>(set_);
      return encoder_->pack(cell.extents(), chunk_.data());
    });
  }

 private:
  static void require_fit(array_type from, array_type found, hdf5_elements const& elements,
                          std::string const& dataset) {
    std::string const type(name_of(from).name);
    bool const casts = found != array_type::unreadable && found != array_type::float16 && found != array_type::bfloat16;
    if (!widens(from, found))
      throw error("expected elements of type " + type + " in " + dataset + ", found " + elements.name + "; " +
                  (casts ? "cast the tensor to that type" : "no tensor has these, so make the dataset of " + type));
  }
  region box() const {
    region r;
    r.rank = static_cast<int>(set_.whole().size());
    for (int d = 0; d < r.rank; ++d) {
      auto const e = static_cast<std::size_t>(d);
      r.dim[d] = {set_.box().begin[e], set_.box().begin[e] + set_.box().extents[e]};
    }
    return r;
  }
  std::size_t bytes(index_t stored) const { return static_cast<std::size_t>(stored) * stored_bytes_; }
  // Reads the elements of a chunk as the file has them.
  void read(region const& cell) {
    std::vector<hsize_t> start, size;
    for (int d = 0; d < cell.rank; ++d) {
      start.push_back(static_cast<hsize_t>(cell.dim[d].begin));
      size.push_back(static_cast<hsize_t>(cell.dim[d].size()));
    }
    set_.read(set_.stored(), start, size, chunk_.data());
  }
  // Calls f(begin, end, bytes) for the elements [first, first + n), a part at a time: their bytes as the file has them.
  template <class F>
  void for_each_slice(index_t first, index_t n, unsigned char const* from, F const& f) {
    std::size_t const each = name_of(from_).bits / 8, wide = name_of(set_.type()).bits / 8;
    if (!converts_ && from_ == set_.type()) return f(first, first + n, from);
    auto const most = static_cast<index_t>(largest_chunk / (std::max)({each, wide, stored_bytes_}));
    for (index_t done = 0; done < n; done += most) {
      auto const count = static_cast<std::size_t>((std::min)(most, n - done));
      slice_.resize(count * (std::max)(wide, stored_bytes_));
      std::memcpy(slice_.data() + count * (wide - each), from + static_cast<std::size_t>(done) * each, count * each);
      widen_in_place(from_, set_.type(), slice_.data(), count);
      if (converts_) {
        background_.assign(bytes(static_cast<index_t>(count)), 0);
        hdf5_id::check_status(
            H5Tconvert(*memory_, set_.stored(), count, slice_.data(), background_.data(), H5P_DEFAULT), "convert");
      }
      f(first + done, first + done + static_cast<index_t>(count), slice_.data());
    }
  }

  array_type from_;
  checked_file& out_;
  opened_dataset set_;
  hdf5_id creation_;
  std::optional<hdf5_id> memory_;
  bool converts_ = false;
  std::size_t stored_bytes_ = 0;
  std::optional<cell_grid> grid_;
  std::optional<std::uint64_t> offset_;
  std::vector<unsigned char> slice_, background_, chunk_;
  std::unique_ptr<chunk_encoder> encoder_;
};

/// The dataset in HDF5, opened by one rank to change its description. The file has the new description after write().
/// Without write(), the file has its old size in the end.
class hdf5_description {
 public:
  explicit hdf5_description(hdf5_target& target) : target_(target), file_(target.file()) {}

  /// Makes room for a contiguous dataset, and returns its first byte. HDF5 fills the room if the dataset has a fill value.
  /// The first element of the box gets that value, or 0.
  std::uint64_t allocate() {
    std::uint64_t at = 0;
    change([&](hid_t set) {
      auto const& begin = target_.set().box().begin;
      std::vector<hsize_t> const start(begin.begin(), begin.end()), size(begin.size(), 1);
      std::vector<unsigned char> element(H5Tget_size(target_.set().stored()), 0);
      hdf5_id const creation = target_.set().creation();
      H5D_fill_value_t filling = H5D_FILL_VALUE_DEFAULT;
      hdf5_id::check_status(H5Pfill_value_defined(creation, &filling), "find the fill value");
      if (filling == H5D_FILL_VALUE_USER_DEFINED)
        hdf5_id::check_status(H5Pget_fill_value(creation, target_.set().stored(), element.data()),
                              "find the fill value");
      hdf5_id const space(H5Dget_space(set), H5Sclose, "make a space"), one = scalar_space();
      opened_dataset::select(space, start, size);
      hdf5_id::check_status(H5Dwrite(set, target_.set().stored(), one, space, H5P_DEFAULT, element.data()),
                            "make room");
      at = H5Dget_offset(set);
      if (at == HADDR_UNDEF) throw error("HDF5 does not say where the room is");
    });
    return at;
  }
  /// The places of the chunks.
  std::vector<std::uint64_t> place(packed_chunks::sizes const& all) {
    std::vector<std::uint64_t> places;
    change([&](hid_t set) { places = place_chunks(file_.patched(), set, target_.grid(), all.bytes, all.masks); });
    return places;
  }
  void write() { file_.write(); }

 private:
  template <class F>
  void change(F const& f) {
    target_.set().named([&] {
      hdf5_id const access = access_to(file_.patched());
      hdf5_id file(H5Fopen("file", H5F_ACC_RDWR, access), H5Fclose, "open the file to write it");
      hdf5_id set(H5Dopen2(file, target_.set().name().c_str(), H5P_DEFAULT), H5Dclose, "open the dataset");
      f(set);
      set.close("close a dataset");
      file.close("close a file");
      file_.make_room();
    });
  }
  hdf5_target& target_;
  changed_file file_;
};

/// Writes the elements into a contiguous dataset. Collective: all ranks of c. A failed write becomes `failure`.
inline void write_contiguous_box(communicator const& c, hdf5_target& target, shard_to_write const& shard,
                                 std::optional<std::string>& failure) {
  exchange_buffers const buffers = comm::collectively(c, [] { return exchange_buffers(); });
  if (!target.offset()) {
    std::uint64_t at = 0;
    comm::on_root(c, [&] {
      hdf5_description made(target);
      at = made.allocate();
      made.write();
    });
    comm::broadcast(c, &at, 1, 0);
    target.set_offset(at);
  }
  write_shard(shard, buffers, failure,
              [&](index_t first, index_t n, unsigned char const* from) { target.write(first, n, from); });
}

/// Writes the chunks. Collective: all ranks of c. A failed write becomes `failure`.
/// Returns the new description on rank 0, which has to write it when all chunks are on the disk.
inline std::unique_ptr<hdf5_description> write_chunks_of_box(communicator const& c, hdf5_target& target,
                                                             shard_to_write const& shard,
                                                             std::optional<std::string>& failure) {
  distributed_array const& array = shard.array;
  cell_grid const& grid = target.grid();
  auto const count = static_cast<std::size_t>(grid.count());
  std::vector<unsigned char> elements;
  auto const for_each_chunk = [&](auto const& store) {
    auto exchange = comm::collectively(c, [&] { return cell_exchange(array, shard.rank, grid); });
    exchange.collect(
        shard.bytes, failure,
        [&](index_t k) {
          region const here = grid.part(k);
          comm_detail::resize_buffer(elements, static_cast<std::size_t>(here.size()) * array.element_bytes);
          return cell_memory{elements.data(), here.extents()};
        },
        [&](index_t k) { store(static_cast<std::size_t>(k), target.pack(k, elements.data())); });
  };
  // Chunks without filters have one size, so their places are known before they are packed.
  packed_chunks packed;
  packed_chunks::sizes all;
  if (target.has_filters()) {
    for_each_chunk([&](std::size_t, chunk_encoder::packed p) { packed.add(std::move(p.bytes), p.mask); });
    throw_together(c, std::move(failure), true);
    failure.reset();
    all = packed.gather(c, array, grid);
  }
  std::unique_ptr<hdf5_description> described;
  std::vector<std::uint64_t> places;
  comm::on_root(c, [&] {
    if (!target.has_filters()) {
      all.bytes.assign(count, target.chunk_bytes());
      all.masks.assign(count, 0);
    }
    described = std::make_unique<hdf5_description>(target);
    places = described->place(all);
  });
  comm::collectively(c, [&] { places.resize(count); });
  comm::broadcast(c, places.data(), count, 0);
  auto const write_packed = [&] { packed.write(target.file(), places, cells_of(array, grid, shard.rank).begin); };
  if (target.has_filters())
    run_catching(write_packed, failure);
  else
    for_each_chunk([&](std::size_t k, chunk_encoder::packed const& p) {
      target.file().write(places[k], p.bytes.data(), p.bytes.size());
    });
  return described;
}

/// Writes the elements of a tensor's shards, each once. Collective: all ranks of c.
/// Error: ashlar::error on every rank. Before the first element is written, the file is as it was.
inline void write_box(communicator const& c, hdf5_target& target, shard_to_write const& shard) {
  std::optional<std::string> failure;
  std::unique_ptr<hdf5_description> described;
  if (target.is_chunked())
    described = write_chunks_of_box(c, target, shard, failure);
  else
    write_contiguous_box(c, target, shard, failure);
  run_catching([&] { target.file().sync(); }, failure);
  throw_together(c, std::move(failure), true);
  comm::on_root(c, [&] {
    if (!described) return;
    described->write();
    target.file().sync();
  });
}

/// Writes the shards into a box of a dataset, from index `begin` on, of a file that all ranks have opened.
/// Collective: all ranks of c.
inline void update_dataset(communicator const& c, checked_file& file, std::string const& path, std::string const& what,
                           std::string const& dataset, std::vector<index_t> begin, shard_to_write const& shard) {
  auto const target = comm::collectively(c, [&] {
    return std::make_unique<hdf5_target>(file, path, dataset, shard.type, shard.array.extents, std::move(begin));
  });
  comm::require_equal(c, target->seen(),
                      what + ": name (as checksum), element types, storage, extents, box and chunks");
  if (shard.array.extents.size() != 0) write_box(c, *target, shard);
}

}  // namespace ashlar::io_detail
