// SPDX-License-Identifier: BSL-1.0
// Weights of other programs: trees from the arrays of safetensors and HDF5 files, and back.
#pragma once
#include "ashlar/checkpoint/checkpoint.hpp"
#if __has_include(<hdf5.h>)  // else checkpoint.hpp says what to do
#include "ashlar/checkpoint/array_reader.hpp"
#include "ashlar/checkpoint/array_writer.hpp"

namespace ashlar::checkpoint_detail {

template <class... X>
void load_parts(io_detail::calling_ranks const& calling, std::string const& path, array_map const& map,
                checkpoint_part<X> const&... parts) {
  static_assert(
      (!std::is_const_v<X> && ...),
      "ashlar::io::load_arrays: the tree is const and cannot take the values of a file; give one that is not");
  communicator const& c = calling.ranks;
  checkpoint_leaves made = leaves_of(c, parts...);
  comm_detail::calls_as const here(c, "load_arrays", calling.site, way_of(made));
  array_plan const plan =
      comm::collectively(c, [&] { return array_plan(c, path, "ashlar::io::load_arrays", std::move(made), map); });
  plan.require_same(c, false);
  load_leaves(c, array_reader(c, plan, map), plan.leaves());
}

template <class... X>
void save_parts(io_detail::calling_ranks const& calling, std::string const& path, array_map const& map,
                save_arrays_options const& options, checkpoint_part<X> const&... parts) {
  communicator const& c = calling.ranks;
  checkpoint_leaves made = leaves_of(c, parts...);
  comm_detail::calls_as const here(c, "save_arrays", calling.site, way_of(made));
  array_plan const plan =
      comm::collectively(c, [&] { return array_plan(c, path, "ashlar::io::save_arrays", std::move(made), map); });
  plan.require_same(c, true);
  array_writer to(c, plan, options);
  to.commit(write_leaves(c, plan.leaves(), std::bind_front(&array_writer::write, &to), [&] { to.sync(); }));
}

}  // namespace ashlar::checkpoint_detail

namespace ashlar::io {

/// Gives a tree the arrays of a file that another program wrote. The file's name says the format: .safetensors;
/// .safetensors.index.json, whose arrays are in files beside it; .h5 or .hdf5. `map` names the array of each leaf and
/// the order of its dimensions. Each leaf has any layout.
/// Post: all leaves have new values. If it throws, all have the old ones. A value never changes: float16 and bfloat16
/// become float, these and float32 become double. All other types must be equal, except that bytes become bool.
/// Collective: all ranks of c, which must be the ranks of the tensors' meshes.
/// Cost: rank 0 reads the headers and broadcasts 24 bytes per leaf. Each rank reads as many elements as its shards
/// have, whole rows of the file, and gets its shards by one exchange per leaf. On several nodes, one rank per node
/// reads each file once more, or 64 MiB of a larger one: the nodes compare size and checksum. Memory: the new tensors
/// are allocated while the old ones exist; 4 MiB; a copy of one shard if it is transposed.
/// Error: ashlar::error on every rank, with the file, the expected and the found value, if a file cannot be read or is
/// malformed. Also if it lacks an array, or has it with another type or other extents. Also if it has an array that no
/// leaf takes and `map` does not ignore, or if an array's elements are in another file than the HDF5 file. Also if
/// files of nodes differ. The elements have no checksums. Partial layouts do not compile.
/// Example: io::load_arrays(m, "mlp.safetensors", p, {.arrays = {{"*/kernel", "*.weight", {1, 0}}}});
template <class X>
void load_arrays(io_detail::calling_ranks const& c, std::string const& path, X& tree, array_map const& map = {}) {
  checkpoint_detail::load_parts(c, path, map, checkpoint_part("", tree));
}
/// Gives several trees the arrays of one file. The leaves' paths begin with the names of the parts.
/// Example: io::load_arrays(m, "net.weights.h5", map, io::checkpoint_part("parameters", p), io::checkpoint_part("statistics", s));
template <class X, class... More>
void load_arrays(io_detail::calling_ranks const& c, std::string const& path, array_map const& map,
                 checkpoint_part<X> const& first, checkpoint_part<More> const&... more) {
  checkpoint_detail::load_parts(c, path, map, first, more...);
}

/// Saves a tree as arrays that other programs read: whole tensors, whatever their layouts. The file's name says the
/// format, as for load_arrays. An index model.safetensors.index.json has files model-00001-of-00003.safetensors beside
/// it. `map` serves both directions: `transpose` is undone. Elements keep their types; bool is uint8 in HDF5.
/// Post: the files get their names only when all of them are on the disk and have been read back, an index last. If it
/// throws before, there are no new files.
/// Collective: all ranks of c, which must be the ranks of the tensors' meshes. It blocks until the files are on the
/// disk.
/// Cost: each rank writes 1/p of the bytes. It gets them by one exchange per tensor among the ranks that hold one copy
/// of it. Memory: 4 MiB, and a copy of one shard if it is transposed or on a device.
/// Error: ashlar::error on every rank if names, types or extents differ between ranks, or a file cannot be written. Also
/// if a rank does not see a file that rank 0 has made. Also if two leaves have one name in the file, a name or text is
/// not UTF-8, or the format lacks a type.
/// Example: io::save_arrays(m, "mlp.safetensors", p, map, {.metadata = {{"format", "pt"}}});
template <class X>
void save_arrays(io_detail::calling_ranks const& c, std::string const& path, X const& tree, array_map const& map = {},
                 save_arrays_options const& options = {}) {
  checkpoint_detail::save_parts(c, path, map, options, checkpoint_part("", tree));
}
/// Saves several trees as arrays. The leaves' paths begin with the names of the parts.
template <class X, class... More>
void save_arrays(io_detail::calling_ranks const& c, std::string const& path, array_map const& map,
                 save_arrays_options const& options, checkpoint_part<X> const& first,
                 checkpoint_part<More> const&... more) {
  checkpoint_detail::save_parts(c, path, map, options, first, more...);
}

}  // namespace ashlar::io

#endif  // hdf5.h
