// The chunks of a tensor that becomes a dataset of an HDF5 file.
#pragma once
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/deflate.hpp"
#include "ashlar/io/hdf5_description.hpp"
#include <memory>

namespace ashlar::io_detail {

/// A tensor that becomes a dataset: its shard on the host.
struct hdf5_field {
  hdf5_dataset set;
  distributed_array array;
  int rank;
  std::shared_ptr<void const> owner;  // of the shard
  unsigned char const* shard;

  template <class X>
  hdf5_field(X const& x, std::string name, hdf5_options const& options)
      : set{.name = std::move(name),
            .type = type_of_elements<typename X::element_type>(),
            .extents = x.extents(),
            .options = options},
        array(array_of(x.mesh(), x.layout, x.extents(), sizeof(typename X::element_type))),
        rank(x.mesh().rank()) {
    using host = decltype(on_host<typename X::execution_space>(x.data(), x.local_size()));
    auto const memory = std::make_shared<host const>(on_host<typename X::execution_space>(x.data(), x.local_size()));
    owner = std::make_shared<std::pair<X, std::shared_ptr<host const>>>(x, memory);
    shard = reinterpret_cast<unsigned char const*>(memory->data());
    if (set.name.starts_with('/')) set.name.erase(0, 1);
    choose_chunks(set);
  }
};

/// The chunks that this rank compresses, until it is known where they belong. A rank takes rows of chunks: those that
/// have the same indices in the first dimension.
class packed_chunks {
 public:
  /// Collective: all ranks of c.
  packed_chunks(communicator const& c, hdf5_field const& packed, std::optional<std::string>& failure)
      : set_(packed.set), array_(packed.array), rank_(packed.rank) {
    if (array_.bytes() == 0) return;
    auto const rows = static_cast<std::size_t>(set_.options.chunk[0]);
    array_.chunk = rows * (array_.bytes() / static_cast<std::size_t>(set_.extents[0]));
    first_ = array_pieces::chunks_of(array_, rank_, array_pieces::cyclic_over::all).begin * set_.chunks_per_row();
    exchange_buffers const buffers = comm::collectively(c, [&] { return exchange_buffers(array_.round_bytes()); });
    collect_rounds(array_, rank_, packed.shard, buffers, [&](array_pieces const& round, unsigned char const* piece) {
      auto const rows_of_chunks = round.chunks(rank_);
      auto const pack = [&] {
        for (index_t k = rows_of_chunks.begin; k < rows_of_chunks.end; ++k)
          pack_row(k, piece + static_cast<std::size_t>(k - rows_of_chunks.begin) * array_.chunk);
      };
      if (!failure) run_catching(pack, failure);
    });
  }
  /// The bytes of all chunks, on every rank. Collective: all ranks of c.
  std::vector<std::uint64_t> sizes(communicator const& c) const {
    std::vector<std::uint64_t> all(
        static_cast<std::size_t>(array_.bytes() == 0 ? 0 : array_.chunks() * set_.chunks_per_row()));
    if (all.empty()) return all;
    std::vector<std::size_t> counts;
    for (int r = 0; r < c.size(); ++r) counts.push_back(static_cast<std::size_t>(of_rank(r).size()));
    std::vector<index_t> const mine(bytes_.begin(), bytes_.end());
    std::vector<index_t> gathered(all.size());
    comm::all_gather(c, mine.data(), mine.size(), gathered.data(), std::span<std::size_t const>(counts));
    auto from = gathered.begin();
    for (int r = 0; r < c.size(); ++r)
      for (index_t k = of_rank(r).begin; k < of_rank(r).end; ++k)
        all[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(*from++);
    return all;
  }
  /// Writes the chunks where they belong. No MPI.
  void write(checked_file const& file, std::vector<std::uint64_t> const& offsets) const {
    unsigned char const* from = packed_.data();
    for (std::size_t k = 0; k < bytes_.size(); from += bytes_[k++])
      file.write(offsets[static_cast<std::size_t>(first_) + k], from, bytes_[k]);
  }

 private:
  array_pieces::range of_rank(int r) const {
    auto const rows = array_pieces::chunks_of(array_, r, array_pieces::cyclic_over::all);
    return {rows.begin * set_.chunks_per_row(), rows.end * set_.chunks_per_row()};
  }
  // Packs row k of chunks, whose elements are row-major at `rows`.
  void pack_row(index_t k, unsigned char const* rows) {
    std::size_t const n = set_.elements_of_chunk(), bytes = n * array_.element_bytes;
    std::vector<unsigned char> chunk(bytes), shuffled(set_.options.shuffle ? bytes : 0);
    shape slab = set_.extents;
    slab[0] = std::min(set_.options.chunk[0], slab[0] - k * set_.options.chunk[0]);
    for (index_t i = 0, all = set_.chunks_per_row(); i < all; ++i) {
      std::fill(chunk.begin(), chunk.end(), static_cast<unsigned char>(0));
      region box;
      box.rank = slab.rank;
      box.dim[0] = {0, slab[0]};
      index_t rest = i;
      for (int d = slab.rank - 1; d > 0; --d) {
        index_t const each = set_.options.chunk[static_cast<std::size_t>(d)], at = rest % set_.chunks(d) * each;
        rest /= set_.chunks(d);
        box.dim[d] = {at, std::min(at + each, slab[d])};
      }
      copy_box(box, slab, rows, chunk.data());
      unsigned char const* from = chunk.data();
      if (set_.options.shuffle) {
        shuffle_bytes(chunk.data(), n, array_.element_bytes, shuffled.data());
        from = shuffled.data();
      }
      std::size_t const before = packed_.size();
      if (set_.options.deflate != 0)
        append_deflated(packed_, from, bytes, set_.options.deflate);
      else
        packed_.insert(packed_.end(), from, from + bytes);
      bytes_.push_back(packed_.size() - before);
    }
  }
  // Copies the elements of a box, row by row, to their places in a chunk, which a box at the end does not fill.
  void copy_box(region const& box, shape const& slab, unsigned char const* from, unsigned char* to) const {
    if (box.size() == 0) return;
    int const last = box.rank - 1;
    index_t const row = box.dim[last].size();
    for (index_t k = 0, rows = box.size() / row; k < rows; ++k) {
      index_t source = box.dim[last][0], target = 0, rest = k, stride = set_.options.chunk.back();
      for (int d = last - 1; d >= 0; --d) {
        index_t const i = rest % box.dim[d].size();
        rest /= box.dim[d].size();
        source += box.dim[d][i] * slab.stride(d);
        target += i * stride;
        stride *= set_.options.chunk[static_cast<std::size_t>(d)];
      }
      std::memcpy(to + static_cast<std::size_t>(target) * array_.element_bytes,
                  from + static_cast<std::size_t>(source) * array_.element_bytes,
                  static_cast<std::size_t>(row) * array_.element_bytes);
    }
  }

  hdf5_dataset const& set_;
  distributed_array array_;
  int rank_;
  index_t first_ = 0;               // this rank's first chunk
  std::vector<std::size_t> bytes_;  // of this rank's chunks
  std::vector<unsigned char> packed_;
};

}  // namespace ashlar::io_detail
