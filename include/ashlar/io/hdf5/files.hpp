// SPDX-License-Identifier: BSL-1.0
// Tensors in HDF5 files: each rank reads or writes its part.
#pragma once
#include "ashlar/io/hdf5/add.hpp"
#include "ashlar/io/hdf5/input.hpp"
#include "ashlar/io/hdf5/output.hpp"
#include "ashlar/io/hdf5/update.hpp"
#include <memory>

namespace ashlar::io_detail {

/// Opens the dataset on every rank. Collective: all ranks of c.
/// Error: ashlar::error on every rank, also if the ranks name, or read, different datasets.
inline std::unique_ptr<hdf5_input> opened_hdf5(communicator const& c, std::string const& path,
                                               std::string const& dataset, array_type to, int rank,
                                               std::optional<array_box> const& box) {
  require_same_file(c, path, "ashlar::io::load_hdf5");
  auto in = comm::collectively(c, [&] { return std::make_unique<hdf5_input>(path, dataset, to, rank, box); });
  comm::require_equal(c, in->seen(), "ashlar::io::load_hdf5: " + path + ": element type, place, extents and box");
  in->require_same_content(c);
  return in;
}

/// Fills this rank's shard. Collective: all ranks of c.
/// Error: ashlar::error on every rank, also if the file was written since it was opened.
inline void read_hdf5_shard(communicator const& c, hdf5_input const& in, distributed_array const& a, int rank,
                            unsigned char* shard) {
  exchange_buffers const buffers = comm::collectively(c, [] { return exchange_buffers(); });
  std::optional<std::string> failure;
  auto const read_box = [&] { in.read(local_region(a.extents, a.layout, a.mesh, rank), shard); };
  bool cyclic = false;  // alike on all ranks
  for (int d = 0; d < a.layout.rank; ++d) cyclic = cyclic || a.layout.dim[d].cyclic != 0;
  if (in.by_hdf5() && !cyclic)
    run_catching(read_box, failure);
  else
    read_shard(a, rank, shard, buffers, failure,
               [&](index_t first, index_t n, unsigned char* at) { in.read(first, n, at); });
  auto const require_unchanged = [&] { in.require_unchanged(); };
  if (!failure) run_catching(require_unchanged, failure);
  throw_together(c, std::move(failure), true);
}

/// Makes the tensor of a dataset's elements. Collective: all ranks of m. Error: ashlar::error on every rank.
template <class T, class L, class M>
sharded_tensor<T, L, M> tensor_of_hdf5(device_mesh<M> const& m, hdf5_input const& in) {
  return tensor_of_file<T, L>(m, shape_of(in.extents()), [&](distributed_array const& a, unsigned char* shard) {
    read_hdf5_shard(m.communicator(), in, a, m.rank(), shard);
  });
}

template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5_box(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                      std::optional<array_box> const& box, call_site const& w) {
  tensor_to_read<T, L>::say();
  communicator const& c = m.communicator();
  calls_as const here(c, "load_hdf5", w, fingerprint_of(collective::exchange, way_of_load<T, L, M>(), box.has_value()));
  return tensor_of_hdf5<T, L>(m, *opened_hdf5(c, path, dataset, type_of_elements<T>(), L::rank, box));
}

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Reads a dataset of an HDF5 file into a tensor of any layout. The dataset may be contiguous or in chunks, with the
/// filters that HDF5 has. Elements are converted as by load_npy.
/// Shape: the dataset's extents, of 0 to 8 dimensions.
/// Collective: all ranks of m; it blocks. It has no entry in a ledger.
/// Cost: each rank opens the file, and reads the elements of its shard. A chunk is read by each rank that needs a part
///   of it. Elements of block-cyclic layouts, and runs shorter than 16 KiB, travel by one exchange. Memory: 4 MiB and
///   HDF5's cache, 32 MiB or one chunk. Nodes compare the file as for load_npy.
/// Error: ashlar::error on every rank if the file is missing, is no HDF5 file, lacks the dataset, or is written
///   meanwhile. Also if the dataset has another element type or number of dimensions, or if files of nodes differ. A
///   partial layout does not compile.
///   HDF5 itself reads the description and the chunks: a file that was damaged on purpose may end the program. HDF5 follows
///   links, external storage and virtual datasets to other files, which the nodes do not compare.
/// Example: io::load_hdf5<double, layout<"p", "q">>(m, "run.h5", "fields/u")
template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                  call_site w = call_site::current()) {
  return io_detail::load_hdf5_box<T, L>(m, path, dataset, {}, w);
}
/// Reads a box of a dataset: `extents` elements from index `begin` on.
/// Error: also if the box is not within the dataset.
/// Example: io::load_hdf5<double, layout<"p", none>>(m, "run.h5", "u", {100, 0}, {50, 64})
template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                  std::vector<index_t> begin, std::vector<index_t> extents,
                                  call_site w = call_site::current()) {
  return io_detail::load_hdf5_box<T, L>(m, path, dataset, io_detail::array_box{std::move(begin), std::move(extents)},
                                        w);
}

}  // namespace ashlar::io

namespace ashlar::io_detail {

/// The dataset that a tensor becomes. Collective: all ranks of c. Error: if the options do not fit the tensor.
inline std::vector<hdf5_field> one_field(communicator const& c, shard_to_write const& shard, std::string const& path,
                                         std::string const& dataset, hdf5_options const& options, char const* caller) {
  std::vector<hdf5_field> fields;
  comm::collectively(c, [&] {
    with_begin(std::string(caller) + ": " + path + ": ", [&] { fields.emplace_back(shard, dataset, options); });
  });
  return fields;
}

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Writes a tensor of any layout as a dataset of a new HDF5 file, which h5py reads. Evaluates elementwise expressions.
/// Of a tensor with a halo it writes the owned cells.
/// The groups in the dataset's name are made. The file gets its name when all of it is on the disk; until then it is
/// FILE.part.
/// Post: load_hdf5<T, L>(m, path, dataset) has the same elements.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: rank 0 describes the file, and the ranks write the elements, each once. Contiguous: as save_npy.
///   In chunks: each rank gets its chunks by one exchange, and compresses them one by one. It keeps compressed chunks
///   until all ranks know their sizes. Memory: 8 MiB, two chunks, and the compressed chunks.
/// Error: ashlar::error on every rank if the file cannot be written, or the options do not fit the tensor. Also if the
///   ranks give different arguments, or a rank does not see the file that rank 0 has made. Then the old file, if there
///   is one, is unchanged. A partial layout does not compile.
/// Example: io::save_hdf5(u, "run.h5", "fields/u", {.deflate = 4, .shuffle = true, .attributes = {{"unit", "m/s"}}});
template <plain_tensor X>
void save_hdf5(X const& expression, std::string const& path, std::string const& dataset,
               hdf5_options const& options = {}, call_site w = call_site::current()) {
  auto const x = io_detail::to_write(expression);
  communicator const& c = x.mesh().communicator();
  comm_detail::calls_as const here(c, "save_hdf5", w, io_detail::way_of(x.layout));
  io_detail::require_same_file(c, path, "ashlar::io::save_hdf5");
  auto fields = io_detail::one_field(c, io_detail::shard_of(x), path, dataset, options, "ashlar::io::save_hdf5");
  io_detail::write_fields(c, path, "ashlar::io::save_hdf5", fields, {});
}

/// Adds a tensor of any layout as a new dataset to an HDF5 file that exists, as h5py does with mode "r+". Evaluates
/// elementwise expressions. Of a tensor with a halo it writes the owned cells. The groups in the dataset's name are made.
/// Post: load_hdf5<T, L>(m, path, dataset) has the same elements; all other objects of the file are as before.
/// Pre: on NFS all ranks are on one node. Ranks of several nodes would write to one page of the file, and NFS keeps the
///   bytes of one node. No other program writes the file: HDF5's locks tell, if the file system has locks.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: as save_hdf5. The elements and the description of the dataset go to the end of the file.
/// Error: ashlar::error on every rank if the file is missing, no HDF5 file, cannot be written, or another program has it
///   open. Also if it has an object of this name, or a group of the name is a link to another file. Also if the file has
///   pages or keeps a list of free room (h5py's fs_strategy and fs_persist). Also if the options do not fit the tensor,
///   ranks give different arguments, or a rank does not see rank 0's file. Then the file is unchanged.
///   The elements are on the disk before rank 0 links the dataset, in several writes. If the program ends before, the
///   file has its old content, and perhaps bytes after its end. If it ends meanwhile, or a write of the description
///   fails, the file can be unreadable. So keep a copy. A partial layout does not compile.
/// Example: io::add_hdf5(v, "run.h5", "fields/v", {.attributes = {{"unit", "m/s"}}});
template <plain_tensor X>
void add_hdf5(X const& expression, std::string const& path, std::string const& dataset,
              hdf5_options const& options = {}, call_site w = call_site::current()) {
  auto const x = io_detail::to_write(expression);
  communicator const& c = x.mesh().communicator();
  comm_detail::calls_as const here(c, "add_hdf5", w, io_detail::way_of(x.layout));
  io_detail::require_same_file(c, path, "ashlar::io::add_hdf5");
  auto fields = io_detail::one_field(c, io_detail::shard_of(x), path, dataset, options, "ashlar::io::add_hdf5");
  io_detail::add_fields(c, path, "ashlar::io::add_hdf5", fields);
}

/// Writes a tensor of any layout into a box of a dataset of an HDF5 file that exists: its elements from index `begin` on.
/// The box has the tensor's extents. Evaluates elementwise expressions. Of a tensor with a halo it writes the owned cells.
/// The dataset is contiguous or in chunks, with the filters that HDF5 can apply, and of any byte order.
/// Post: load_hdf5<T, L>(m, path, dataset, begin, extents) has the same elements; all others are as before. A value
///   never changes: float becomes double, bytes become bool, bool becomes bytes; all other types are equal.
/// Pre: on NFS all ranks are on one node. Ranks of several nodes would write to one page of the file, and NFS keeps the
///   bytes of one node. No other program writes the file: HDF5's locks tell, if the file system has locks.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: contiguous: as save_npy, and one write for each run of elements that is consecutive in the file. In chunks: each
///   chunk goes to one rank by one exchange. That rank reads it if the box covers only a part, packs it, and writes it.
///   Memory: contiguous 5 MiB; in chunks 12 MiB and five chunks, and with filters the rank's packed chunks.
/// Error: ashlar::error on every rank if the file or dataset is missing, or the box is not within the dataset. Also if the
///   elements have another type, the file cannot be written, or another program has it open. Also if the storage is
///   compact, virtual, or in another file, if HDF5 cannot apply a filter, or if ranks name different datasets. Also if
///   a rank does not see rank 0's file. Then the file is unchanged.
///   The update is not atomic. If a write fails or the program ends meanwhile, elements of the box can be old or new.
///   If it ends at the beginning, bytes can follow the end of the file.
///   Chunks with filters that overlap the box can then be unreadable. If the program ends while rank 0 writes a new
///   description of the dataset, the dataset or the file can be unreadable. So keep a copy.
///   A partial layout does not compile.
/// Example: io::update_hdf5(u, "run.h5", "u", {100, 0});
template <plain_tensor X>
void update_hdf5(X const& expression, std::string const& path, std::string const& dataset, std::vector<index_t> begin,
                 call_site w = call_site::current()) {
  auto const x = io_detail::to_write(expression);
  communicator const& c = x.mesh().communicator();
  comm_detail::calls_as const here(c, "update_hdf5", w, io_detail::way_of(x.layout));
  io_detail::update_dataset(c, path, dataset, std::move(begin), io_detail::shard_of(x));
}

}  // namespace ashlar::io

namespace ashlar::io_detail {

/// One index per dimension. It takes no braces of hdf5_options.
struct first_index {
  template <class... Index>
    requires(sizeof...(Index) > 0 && (std::is_convertible_v<Index, index_t> && ...))
  first_index(Index...) {}
};

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// A first index of a box is an error: save_hdf5 writes new files.
template <plain_tensor X>
void save_hdf5(X const&, std::string const&, std::string const&, io_detail::first_index) {
  static_assert(
      !std::is_same_v<X, X>,
      "ashlar::io::save_hdf5: it writes a new file; write a box of a file that exists by update_hdf5(x, path, "
      "dataset, begin)");
}

}  // namespace ashlar::io
