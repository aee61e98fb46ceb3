// Trees of tensors and numbers in a file, and back on any mesh.
#pragma once
#if !__has_include(<hdf5.h>)
#error "ashlar::save_checkpoint: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev or libhdf5-mpich-dev, as your MPI is) and link the CMake target ashlar::checkpoint"
#else
#include "ashlar/checkpoint/reader.hpp"
#include "ashlar/checkpoint/writer.hpp"

namespace ashlar {

namespace checkpoint_detail {

// Memory that the rounds of an exchange go through.
struct checkpoint_buffers {
  std::unique_ptr<unsigned char[]> memory = std::make_unique_for_overwrite<unsigned char[]>(2 * checkpoint_pieces::round_bytes);
  unsigned char* piece() const { return memory.get(); }
  unsigned char* staging() const { return memory.get() + checkpoint_pieces::round_bytes; }
};

// Calls f(round, bytes) with this rank's part of each round that is to be written. The shards' parts of some rounds are sent
// before the first is waited for, so that a rank that writes keeps no other waiting.
// Collective: the holders.
template <class F>
void collect_rounds(checkpoint_leaf const& leaf, int rank, unsigned char const* shard, checkpoint_buffers const& buffers, F f) {
  constexpr index_t at_once = 16;
  constexpr auto all = checkpoint_pieces::cyclic_over::all;
  for (index_t first = 0, n = checkpoint_pieces::rounds(leaf, all); first < n; first += at_once) {
    index_t const last = std::min(first + at_once, n);
    for (index_t k = first; k < last; ++k) checkpoint_pieces(leaf, rank, all, k).send(shard);
    for (index_t k = first; k < last; ++k) {
      checkpoint_pieces const round(leaf, rank, all, k);
      f(round, round.collect(shard, buffers.piece(), buffers.staging()));
    }
    finish(leaf.group);
  }
}

// This rank's shard on the host. Where it lies there nothing can go wrong, and nothing is to be agreed on.
// Collective: all ranks of c.
inline unsigned char const* shard_on_host(communicator const& c, checkpoint_leaf& leaf, std::optional<std::string> const& failure) {
  if (leaf.is_on_host()) return leaf.shard();
  return comm::collectively(c, [&] {
    if (failure) throw error(*failure);
    return leaf.shard();
  });
}

inline void save_leaves(communicator const& c, std::filesystem::path const& path, index_t step, checkpoint_leaves const& leaves) {
  checkpoint_writer to(c, path, step, leaves);
  checkpoint_buffers const buffers = comm::collectively(c, [&] {
    to.open();
    return checkpoint_buffers{};
  });
  std::optional<std::string> failure;
  std::vector<checkpoint_piece> written;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    unsigned char const* const shard = shard_on_host(c, *leaves[i], failure);
    collect_rounds(*leaves[i], c.rank(), shard, buffers, [&](checkpoint_pieces const& round, unsigned char const* piece) {
      if (failure) return;
      auto const write = [&] {
        written.push_back(to.piece(i, round, piece));
        to.write(written.back());
      };
      run_catching(write, failure);
    });
    leaves[i]->release();
  }
  if (!failure) {
    auto const sync = [&] { to.sync(); };
    run_catching(sync, failure);
  }
  to.commit(std::move(failure), written, leaves);
}

inline void load_leaves(communicator const& c, checkpoint_reader const& from, checkpoint_leaves const& leaves) {
  checkpoint_buffers const buffers = comm::collectively(c, [] { return checkpoint_buffers{}; });
  std::optional<std::string> failure;
  for (auto const& leaf : leaves) {
    unsigned char* const room = comm::collectively(c, [&] {
      if (failure) throw error(*failure);
      return leaf->room();
    });
    constexpr auto holders = checkpoint_pieces::cyclic_over::holders;
    for (index_t k = 0, n = checkpoint_pieces::rounds(*leaf, holders); k < n; ++k) {
      checkpoint_pieces const round(*leaf, c.rank(), holders, k);
      unsigned char* const piece = round.place(room, buffers.piece());
      auto const read = [&] { from.read(leaf->entry, round.chunks(c.rank()), piece); };
      if (!failure) run_catching(read, failure);
      round.distribute(piece, room, buffers.staging());
    }
  }
  throw_together(c, std::move(failure), true);
  for (auto const& leaf : leaves) leaf->accept();
}

}  // namespace checkpoint_detail

/// Saves trees as one file of HDF5: tensors whole, whatever their layouts, which stand beside them as attributes, and
/// numbers as scalars. h5dump and h5py read it: parameters/d1/kernel. The file has its name only when all of it is on the
/// disk; a program that ends before leaves FILE.part, which is no checkpoint.
/// Collective: all ranks of c, which are those of the tensors' meshes; it blocks until the disk has the file.
/// Cost: each rank writes 1/p of the bytes, which it gets by an exchange a tensor among the ranks that hold one copy of it,
/// 2 MiB at a time; 4 MiB of memory, and a copy of the largest shard where tensors lie on a device. Before the file has its
/// name it is read back, each byte by another rank than wrote it.
/// Error: ashlar::error on every rank where names, types or extents differ between ranks, or a file cannot be written. A
/// layout in which the tensor is partial, and a leaf that is no tensor, number or prng_key, do not compile.
/// Example: save_checkpoint("step_120.h5", m.communicator(), 120, part("parameters", p), part("optimizer", state));
template <class... X>
void save_checkpoint(std::filesystem::path const& file, communicator const& c, index_t step, checkpoint_part<X> const&... parts) {
  checkpoint_detail::save_leaves(c, file, step, checkpoint_detail::leaves_of(c, parts...));
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
  auto const leaves = checkpoint_detail::leaves_of(c, parts...);
  checkpoint_detail::checkpoint_reader const from(c, file, leaves);
  from.match(leaves);
  checkpoint_detail::load_leaves(c, from, leaves);
  return from.step();
}

}  // namespace ashlar

#endif  // hdf5.h
