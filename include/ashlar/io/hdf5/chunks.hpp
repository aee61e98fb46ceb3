// SPDX-License-Identifier: BSL-1.0
// The chunks of a tensor that becomes a dataset of an HDF5 file.
#pragma once
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/hdf5/description.hpp"
#include "ashlar/io/zlib.hpp"
#include <memory>
#include <tuple>

namespace ashlar::io_detail {

/// A tensor that becomes a dataset.
struct hdf5_field {
  hdf5_dataset set;
  shard_to_write shard;

  /// Error: ashlar::error if the options do not fit the tensor.
  hdf5_field(shard_to_write from, std::string dataset, hdf5_options const& options)
      : set{.name = std::move(dataset), .type = from.type, .extents = from.array.extents, .options = options},
        shard(std::move(from)) {
    if (set.name.starts_with('/')) set.name.erase(0, 1);
    choose_chunks(set);
  }
  distributed_array const& array() const { return shard.array; }
};

/// Packs the chunks of this rank, as the file has them: store(k, bytes, their number) gets chunk k.
/// Collective: all ranks of the field's mesh. An error of `store` becomes `failure`.
/// Cost: one exchange. Memory: 8 MiB and two chunks.
template <class Store>
void pack_chunks(communicator const& c, hdf5_field const& field, std::optional<std::string>& failure,
                 Store const& store) {
  hdf5_dataset const& set = field.set;
  if (field.array().bytes() == 0) return;
  std::size_t const n = set.elements_of_chunk(), bytes = n * field.array().element_bytes;
  bool const deflates = set.options.deflate != 0;
  std::size_t const room = deflates ? compressBound(bytes) : bytes;
  auto made = comm::collectively(c, [&] {
    bool const two = deflates || set.options.shuffle;
    return std::tuple(cell_exchange(field.array(), field.shard.rank, set.grid()), comm_detail::byte_buffer(room),
                      comm_detail::byte_buffer(two ? room : 0));
  });
  auto& [exchange, elements, other] = made;
  shape const chunk = shape_of(set.options.chunk);
  unsigned char *first = elements.get(), *second = other.get();
  exchange.collect(
      field.shard.bytes, failure,
      [&, first](index_t k) {
        if (set.grid().part(k).size() != chunk.size()) std::fill_n(first, bytes, static_cast<unsigned char>(0));
        return cell_memory{first, chunk};
      },
      [&, first, second](index_t k) {
        unsigned char *packed = first, *free = second;
        std::size_t length = bytes;
        if (set.options.shuffle) {
          shuffle_bytes(packed, n, field.array().element_bytes, free);
          std::swap(packed, free);
        }
        if (deflates) {
          length = deflate_into(free, room, packed, bytes, set.options.deflate);
          std::swap(packed, free);
        }
        store(k, packed, length);
      });
}

/// Chunks of this rank, as the file has them, until it is known where they belong.
class packed_chunks {
 public:
  /// `mask` has the filters that the chunk leaves out.
  void add(std::vector<unsigned char> chunk, std::uint32_t mask = 0) {
    chunks_.push_back(std::move(chunk));
    masks_.push_back(mask);
  }
  struct sizes {
    std::vector<std::uint64_t> bytes = {};
    std::vector<std::uint32_t> masks = {};
  };
  /// The sizes and masks of all chunks, on every rank. Collective: all ranks of c.
  sizes gather(communicator const& c, distributed_array const& array, cell_grid const& grid) const {
    std::vector<std::size_t> counts;
    std::vector<index_t> mine, gathered;
    sizes all;
    comm::collectively(c, [&] {
      for (int r = 0; r < c.size(); ++r)
        counts.push_back(2 * static_cast<std::size_t>(cells_of(array, grid, r).size()));
      for (std::size_t k = 0; k < chunks_.size(); ++k) {
        mine.push_back(static_cast<index_t>(chunks_[k].size()));
        mine.push_back(static_cast<index_t>(masks_[k]));
      }
      all.bytes.resize(static_cast<std::size_t>(grid.count()));
      all.masks.resize(all.bytes.size());
      gathered.resize(2 * all.bytes.size());
    });
    if (!gathered.empty())
      comm::all_gather(c, mine.data(), mine.size(), gathered.data(), std::span<std::size_t const>(counts));
    auto from = gathered.begin();
    for (int r = 0; r < c.size(); ++r)
      for (array_pieces::range cells = cells_of(array, grid, r); cells.begin < cells.end; ++cells.begin) {
        all.bytes[static_cast<std::size_t>(cells.begin)] = static_cast<std::uint64_t>(*from++);
        all.masks[static_cast<std::size_t>(cells.begin)] = static_cast<std::uint32_t>(*from++);
      }
    return all;
  }
  /// Writes the chunks, of which `first` is the first one, where they belong. No MPI.
  void write(checked_file const& file, std::vector<std::uint64_t> const& offsets, index_t first) const {
    for (std::size_t k = 0; k < chunks_.size(); ++k)
      file.write(offsets[static_cast<std::size_t>(first) + k], chunks_[k].data(), chunks_[k].size());
  }

 private:
  std::vector<std::vector<unsigned char>> chunks_;
  std::vector<std::uint32_t> masks_;
};

}  // namespace ashlar::io_detail
