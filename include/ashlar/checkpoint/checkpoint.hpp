// SPDX-License-Identifier: BSL-1.0
// Saves trees of tensors and numbers to a file, and loads them on any mesh.
#pragma once
#if !__has_include(<hdf5.h>)
#error \
    "ashlar::io::save_checkpoint: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev or libhdf5-mpich-dev, as your MPI is) and link the CMake target ashlar::checkpoint"
#else
#include "ashlar/checkpoint/reader.hpp"
#include "ashlar/checkpoint/writer.hpp"

namespace ashlar::checkpoint_detail {

// This rank's shard in host memory. If tensors are in host memory nothing can fail, so the ranks need not agree.
// Otherwise it throws on every rank if any rank failed, here or before (`failure`).
// Collective: all ranks of c.
inline unsigned char const* shard_on_host(communicator const& c, checkpoint_leaf& leaf,
                                          std::optional<std::string> const& failure) {
  if (leaf.is_on_host()) return leaf.shard();
  return comm::collectively(c, [&] {
    if (failure) throw error(*failure);
    return leaf.shard();
  });
}

// Calls write(i, round, bytes) for this rank's pieces of each leaf i, and sync(), which need no MPI. Returns the first error.
// Collective: all ranks of c.
template <class Write, class Sync>
std::optional<std::string> write_leaves(communicator const& c, checkpoint_leaves const& leaves, Write const& write,
                                        Sync const& sync) {
  exchange_buffers const buffers = comm::collectively(c, [] { return exchange_buffers{}; });
  std::optional<std::string> failure;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    unsigned char const* const shard = shard_on_host(c, *leaves[i], failure);
    collect_rounds(*leaves[i], c.rank(), shard, buffers, [&](array_pieces const& round, unsigned char const* piece) {
      run_catching([&] { write(i, round, piece); }, failure);
    });
    leaves[i]->release();
  }
  run_catching(sync, failure);
  return failure;
}

inline void save_leaves(communicator const& c, std::string const& path, index_t step, checkpoint_leaves const& leaves) {
  checkpoint_writer to(c, path, step, leaves);
  comm::collectively(c, [&] { to.open(); });
  std::vector<checkpoint_piece> written;
  auto const write = [&](std::size_t i, array_pieces const& round, unsigned char const* bytes) {
    written.push_back(to.piece(i, round, bytes));
    to.write(written.back());
  };
  auto failure = write_leaves(c, leaves, write, [&] { to.sync(); });
  to.commit(std::move(failure), written, leaves);
}

// Fills the leaves with elements that from.read(entry, chunks, to) reads, which needs no MPI.
// Post: all leaves have new values. If it throws, all have the old ones.
// Collective: all ranks of c.
template <class Reader>
void load_leaves(communicator const& c, Reader const& from, checkpoint_leaves const& leaves) {
  exchange_buffers const buffers = comm::collectively(c, [] { return exchange_buffers{}; });
  std::optional<std::string> failure;
  for (auto const& leaf : leaves) {
    unsigned char* const room = comm::collectively(c, [&] {
      if (failure) throw error(*failure);
      return leaf->room();
    });
    distribute_rounds(*leaf, c.rank(), room, buffers, [&](array_pieces const& round, unsigned char* piece) {
      run_catching([&] { from.read(leaf->entry, round.chunks(c.rank()), piece); }, failure);
    });
    run_catching([&] { leaf->filled(); }, failure);
  }
  throw_together(c, std::move(failure), true);
  for (auto const& leaf : leaves) leaf->accept();
}

}  // namespace ashlar::checkpoint_detail

namespace ashlar::io {

/// Saves trees to one HDF5 file: whole tensors, whatever their layouts, and numbers as scalars. The layouts are
/// attributes. h5dump and h5py can read it: parameters/d1/kernel. The file gets its name only when all of it is on the
/// disk. A program that ends earlier leaves FILE.part, which is no checkpoint.
/// Collective: all ranks of c, which must be the ranks of the tensors' meshes. It blocks until the file is on the disk.
/// Cost: each rank writes 1/p of the bytes. It gets them by one exchange per tensor among the ranks that hold one copy
/// of it, 2 MiB at a time. Memory: 4 MiB, and a copy of the largest shard if tensors are on a device. Before the file
/// gets its name it is read back, each byte by another rank than the writer.
/// Error: ashlar::error on every rank if names, types or extents differ between ranks, or a file cannot be written.
/// Also if a rank does not see the file that rank 0 has made. A partial layout does not compile, nor a leaf that is no
/// tensor, number or prng_key.
/// Example: io::save_checkpoint(m, "step_120.h5", 120, io::checkpoint_part("parameters", p), io::checkpoint_part("optimizer", state));
template <class... X>
void save_checkpoint(io_detail::calling_ranks const& c, std::string const& path, index_t step,
                     checkpoint_part<X> const&... parts) {
  auto const leaves = checkpoint_detail::leaves_of(c.ranks, parts...);
  comm_detail::calls_as const here(c.ranks, "save_checkpoint", c.site, checkpoint_detail::way_of(leaves));
  checkpoint_detail::save_leaves(c.ranks, path, step, leaves);
}

/// Gives trees the values in a file and returns its step. Any mesh, layouts and number of ranks may have written the
/// file. It may hold more than the trees ask for.
/// Post: all leaves have new values. If it throws, all have the old ones.
/// Collective: all ranks of c.
/// Cost: each rank reads and checks as many bytes as its shards have; one exchange per tensor. Memory: the new tensors
/// are allocated while the old ones exist.
/// Error: ashlar::error on every rank if the file is missing or cannot be read. Also if it is damaged in a byte that
/// was read or that describes it. Also if it lacks a name, or has it with another type or other extents.
/// Example: index_t const step = io::load_checkpoint(m, "step_120.h5", io::checkpoint_part("parameters", p));
template <class... X>
index_t load_checkpoint(io_detail::calling_ranks const& c, std::string const& path,
                        checkpoint_part<X> const&... parts) {
  auto const leaves = checkpoint_detail::leaves_of(c.ranks, parts...);
  comm_detail::calls_as const here(c.ranks, "load_checkpoint", c.site, checkpoint_detail::way_of(leaves));
  checkpoint_detail::checkpoint_reader const from(c.ranks, path, leaves);
  from.match(leaves);
  checkpoint_detail::load_leaves(c.ranks, from, leaves);
  return from.step();
}

}  // namespace ashlar::io

#endif  // hdf5.h
