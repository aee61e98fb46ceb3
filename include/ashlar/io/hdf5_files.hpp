// Tensors in HDF5 files: each rank reads or writes its part.
#pragma once
#include "ashlar/io/hdf5_input.hpp"
#include "ashlar/io/hdf5_output.hpp"

namespace ashlar {

namespace io_detail {

template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5_box(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                      std::optional<array_box> const& box, call_site const& w) {
  static_assert(!layout_is_partial<L>::value,
                "ashlar::load_hdf5: the layout is partial, and each rank would hold the whole value; take the layout "
                "without it");
  static_assert(!files_have_no_such_elements<T>::value,
                "ashlar::load_hdf5: elements are bool, integers, float, double or complex numbers of these; load one "
                "of these and cast the tensor");
  communicator const& c = m.communicator();
  calls_as const here(c, "load_hdf5", w);
  require_same_file(c, path, "ashlar::load_hdf5");
  hdf5_input const in =
      comm::collectively(c, [&] { return hdf5_input(path, dataset, type_of_elements<T>(), L::rank, box); });
  comm::require_equal(c, in.seen(), "ashlar::load_hdf5: " + path + ": element type, place, extents and box");
  auto made = comm::collectively(
      c, [&] { return std::pair(sharded_tensor<T, L, M>(m, shape_of(in.extents())), exchange_buffers()); });
  auto& x = made.first;  // clang captures no structured binding
  auto& buffers = made.second;
  auto const array = array_of(m, x.layout, x.extents(), sizeof(T));
  std::optional<std::string> failure;
  fill_from_host(x, [&](T* own) {
    auto* const to = reinterpret_cast<unsigned char*>(own);
    region const part = x.local_region();
    auto const read_box = [&] { in.read(part, to); };
    bool cyclic = false;  // alike on all ranks
    for (int d = 0; d < x.layout.rank; ++d) cyclic = cyclic || x.layout.dim[d].cyclic != 0;
    if (in.by_hdf5() && !cyclic)
      run_catching(read_box, failure);
    else
      read_shard(array, m.rank(), to, buffers, failure,
                 [&](index_t first, index_t n, unsigned char* at) { in.read(first, n, at); });
  });
  auto const require_unchanged = [&] { in.require_unchanged(); };
  if (!failure) run_catching(require_unchanged, failure);
  throw_together(c, std::move(failure), true);
  return std::move(x);
}

}  // namespace io_detail

/// Reads a dataset of an HDF5 file into a tensor of any layout. The dataset may be contiguous or in chunks, with the
/// filters that HDF5 has. Elements are converted as by load_npy.
/// Shape: the dataset's extents, of 0 to 8 dimensions.
/// Collective: all ranks of m; it blocks. It has no entry in a ledger.
/// Cost: each rank opens the file, and reads the elements of its shard. A chunk is read by each rank that needs a part
///   of it. Elements of block-cyclic layouts, and runs shorter than 16 KiB, travel by one exchange. Memory: 4 MiB and
///   HDF5's cache, 32 MiB or one chunk.
/// Error: ashlar::error on every rank if the file is missing, is no HDF5 file, lacks the dataset, or is written
///   meanwhile. Also if the dataset has another element type or number of dimensions. A partial layout does not compile.
///   HDF5 itself reads the description and the chunks: a file that was damaged on purpose can do whatever HDF5 lets it do.
/// Example: load_hdf5<double, layout<"p", "q">>(m, "run.h5", "fields/u")
template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                  call_site w = call_site::current()) {
  return io_detail::load_hdf5_box<T, L>(m, path, dataset, {}, w);
}
/// Reads a box of a dataset: `extents` elements from index `begin` on.
/// Error: also if the box is not within the dataset.
/// Example: load_hdf5<double, layout<"p", none>>(m, "run.h5", "u", {100, 0}, {50, 64})
template <class T, class L, class M>
sharded_tensor<T, L, M> load_hdf5(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
                                  std::vector<index_t> begin, std::vector<index_t> extents,
                                  call_site w = call_site::current()) {
  return io_detail::load_hdf5_box<T, L>(m, path, dataset, io_detail::array_box{std::move(begin), std::move(extents)},
                                        w);
}

/// Writes a tensor of any layout as a dataset of a new HDF5 file, which h5py reads. Evaluates elementwise expressions.
/// Of a tensor with a halo it writes the owned cells.
/// The groups in the dataset's name are made. The file gets its name when all of it is on the disk; until then it is
/// FILE.part.
/// Post: load_hdf5<T, L>(m, path, dataset) has the same elements.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: rank 0 describes the file, and the ranks write the elements, each once. Contiguous: as save_npy. In chunks:
///   each rank gets rows of chunks by one exchange, compresses them, and keeps the result until all ranks know its
///   size.
/// Error: ashlar::error on every rank if the file cannot be written, or the options do not fit the tensor. Also if the
///   ranks give different arguments. Then the old file, if there is one, is unchanged. A partial layout does not compile.
/// Example: save_hdf5(u, "run.h5", "fields/u", {.deflate = 4, .shuffle = true, .attributes = {{"unit", "m/s"}}});
template <plain_tensor X>
void save_hdf5(X const& expression, std::string const& path, std::string const& dataset,
               hdf5_options const& options = {}, call_site w = call_site::current()) {
  static_assert(!plan_detail::layout_is_partial<owned_layout_t<layout_t<X>>>::value,
                "ashlar::save_hdf5: the layout is partial; all_reduce or reduce_scatter the tensor first");
  static_assert(!io_detail::files_have_no_such_elements<element_t<X>>::value,
                "ashlar::save_hdf5: elements are bool, integers, float, double or complex numbers of these; cast the "
                "tensor to one of these");
  auto const x = plan_detail::materialize(ops_detail::without_halo(expression));
  communicator const& c = x.mesh().communicator();
  comm_detail::calls_as const here(c, "save_hdf5", w);
  io_detail::require_same_file(c, path, "ashlar::save_hdf5");
  std::vector<io_detail::hdf5_field> fields;
  comm::collectively(c, [&] {
    try {
      fields.emplace_back(x, dataset, options);
    } catch (error const& e) {
      throw error("ashlar::save_hdf5: " + path + ": " + e.what());
    }
  });
  io_detail::write_fields(c, path, "ashlar::save_hdf5", fields, {});
}

}  // namespace ashlar
