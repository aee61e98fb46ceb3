// Trees of tensors and numbers in a file, and back on any mesh.
#pragma once
#include "ashlar/train/checkpoint_reader.hpp"
#include "ashlar/train/checkpoint_writer.hpp"

namespace ashlar {

namespace detail {

// Room for the largest piece of some tensors, and for what of it travels by way of a second buffer.
class checkpoint_buffers {
 public:
  checkpoint_buffers(communicator const& c, checkpoint_leaves const& leaves, checkpoint_pieces::dealt_to whom) {
    std::size_t piece_bytes = 0, staged_bytes = 0;
    for (auto const& leaf : leaves) {
      checkpoint_pieces const p(*leaf, c.rank(), whom);
      if (!p.alone()) piece_bytes = std::max(piece_bytes, p.piece_bytes());
      staged_bytes = std::max(staged_bytes, p.staged_bytes());
    }
    comm::collectively(c, [&] {
      piece = std::make_unique_for_overwrite<unsigned char[]>(piece_bytes);
      staging = std::make_unique_for_overwrite<unsigned char[]>(staged_bytes);
    });
  }
  std::unique_ptr<unsigned char[]> piece, staging;
};

// This rank's piece of a tensor, in `memory`; where nothing is exchanged it stays in the shard, unless it is to be `owned`.
// Collective: the holders.
inline checkpoint_piece piece_of(communicator const& c, checkpoint_entry const& entry, checkpoint_leaf const& leaf, unsigned char const* shard, unsigned char* memory,
                                 unsigned char* staging, bool owned) {
  checkpoint_pieces const pieces(leaf, c.rank(), checkpoint_pieces::dealt_to::all);
  byte_count const begin = static_cast<byte_count>(pieces.elements(c.rank()).begin) * entry.element_bytes;
  std::size_t const n = pieces.piece_bytes();
  if (!pieces.alone())
    pieces.collect(shard, memory, staging);
  else if (owned)
    copy_block(shard + begin, memory, n);
  return {entry.offset + begin, entry.chunk, {pieces.alone() && !owned ? shard + begin : memory, n}, {}};
}

inline void save_leaves(communicator const& c, std::filesystem::path const& path, index_t step, checkpoint_leaves const& leaves) {
  checkpoint_writer to(c, path, step, leaves);
  checkpoint_buffers const buffers(c, leaves, checkpoint_pieces::dealt_to::all);
  std::optional<std::string> failure;
  std::vector<checkpoint_piece> written;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    unsigned char const* const shard = comm::collectively(c, [&] {
      if (failure) throw error(*failure);
      return leaves[i]->shard();
    });
    written.push_back(piece_of(c, to.entry(i), *leaves[i], shard, buffers.piece.get(), buffers.staging.get(), false));
    auto const write = [&] { to.write(written.back()); };
    run_catching(write, failure);
    leaves[i]->release();
  }
  if (!failure) {
    auto const sync = [&] { to.sync(); };
    run_catching(sync, failure);
  }
  to.commit(std::move(failure), written, leaves);
}

inline void load_leaves(communicator const& c, checkpoint_reader const& from, checkpoint_leaves const& leaves) {
  checkpoint_buffers const buffers(c, leaves, checkpoint_pieces::dealt_to::holders);
  std::optional<std::string> failure;
  for (auto const& leaf : leaves) {
    unsigned char* const room = comm::collectively(c, [&] {
      if (failure) throw error(*failure);
      return leaf->room();
    });
    checkpoint_pieces const pieces(*leaf, c.rank(), checkpoint_pieces::dealt_to::holders);
    unsigned char* const piece = pieces.alone() ? room : buffers.piece.get();
    auto const read = [&] { from.read(leaf->entry, pieces.chunks(c.rank()), piece); };
    run_catching(read, failure);
    if (!pieces.alone()) pieces.distribute(piece, room, buffers.staging.get());
  }
  throw_together(c, std::move(failure), true);
  for (auto const& leaf : leaves) leaf->accept();
}

}  // namespace detail

/// Saves trees as one file of HDF5: tensors whole, whatever their layouts, which stand beside them as attributes, and
/// numbers as scalars. h5dump and h5py read it: parameters/d1/kernel. The file has its name only when all of it is on the
/// disk; a program that ends before leaves FILE.part, which is no checkpoint.
/// Collective: all ranks of c, which are those of the tensors' meshes; it blocks until the disk has the file.
/// Cost: each rank writes 1/p of the bytes, which it gets by one exchange a tensor among the ranks that hold one copy of
/// it; one shard of the largest tensor in memory. Before the file has its name it is read back, each byte by another rank
/// than wrote it.
/// Error: ashlar::error on every rank where names, types or extents differ between ranks, or a file cannot be written. A
/// layout in which a reduction pends, and a leaf that is no tensor, number or prng_key, do not compile.
/// Example: save_checkpoint("step_120.h5", m.communicator(), 120, part("parameters", p), part("optimizer", state));
template <class... X>
void save_checkpoint(std::filesystem::path const& file, communicator const& c, index_t step, checkpoint_part<X> const&... parts) {
  detail::save_leaves(c, file, step, detail::leaves_of(c, parts...));
}

/// Gives trees the values that a file holds, whatever mesh, layouts and number of ranks wrote it, and returns its step. The
/// file may hold more than is asked for.
/// Post: all leaves have new values, or, where it throws, all have the old ones.
/// Collective: all ranks of c.
/// Cost: each rank reads as many bytes as its shards have, and checks them; one exchange a tensor. The new tensors are
/// allocated beside the old.
/// Error: ashlar::error on every rank where the file is missing, cannot be read, or is damaged in any byte that was read or
/// that describes it; where it lacks a name, or has it with another type or other extents.
/// Example: index_t const step = load_checkpoint("step_120.h5", m.communicator(), part("parameters", p));
template <class... X>
index_t load_checkpoint(std::filesystem::path const& file, communicator const& c, checkpoint_part<X> const&... parts) {
  auto const leaves = detail::leaves_of(c, parts...);
  detail::checkpoint_reader const from(c, file, leaves.empty() ? "it" : leaves.front()->entry.name);
  from.match(leaves);
  detail::load_leaves(c, from, leaves);
  return from.step();
}

}  // namespace ashlar
