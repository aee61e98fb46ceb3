// SPDX-License-Identifier: BSL-1.0
// Tensors in .npy files: each rank reads or writes its part.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/npy.hpp"
#include "ashlar/io/reversed_shard.hpp"
#include <functional>
#include <string>
#include <vector>

namespace ashlar::io_detail {

/// Gets bytes that were read: how many they are, and how many of the file follow.
using bytes_seen = std::function<void(unsigned char const* bytes, std::size_t n, std::size_t after)>;

/// A .npy file whose elements are taken as elements of a tensor.
class npy_input {
 public:
  npy_input(checked_file in, array_type to, int rank);
  /// The extents in the order of the file.
  std::vector<index_t> const& extents() const { return content_.extents; }
  bool fortran() const { return content_.fortran; }
  bool others_follow() const { return content_.others_follow; }
  /// Numbers that are equal on ranks that read the same file.
  std::vector<index_t> seen() const;

  /// The bytes before the elements, and of the elements.
  std::size_t header_bytes() const { return content_.begin; }
  std::size_t element_bytes() const { return content_.bytes; }
  std::string header() const;
  void require_unchanged() const { in_.require_unchanged(); }
  void require_same_content(communicator const& c) const { io_detail::require_same_content(c, in_); }
  bool reads_in_order() const { return in_.is_decoded(); }

  /// Reads n elements from number `first` on. No MPI. Calls `seen`, if it is a function, on the bytes as the file has them.
  void read(index_t first, index_t n, unsigned char* to, bytes_seen const& seen) const;

 private:
  std::size_t stored_bytes() const { return name_of(from_).bits / 8; }
  void convert(unsigned char* stored, unsigned char* to, std::size_t count) const;

  array_type to_, from_ = array_type::unreadable;
  checked_file in_;
  npy_content content_{};
  bool swaps_ = false;
};

/// The first bytes of a file, up to its elements. These begin at a multiple of 64, as NumPy's do. If there are many, they
/// begin with a page: then ranks seldom write to one page.
ASHLAR_INLINE std::string npy_header_of(array_type type, shape const& extents);

/// Opens the file on every rank. Collective: all ranks of c.
/// Error: ashlar::error on every rank, also if the ranks name, or read, different files.
ASHLAR_INLINE npy_input opened_npy(communicator const& c, std::string const& path, array_type to, int rank);

/// Fills this rank's shard of a tensor, whose layout, extents and elements `a` has. Calls `seen` as npy_input::read does,
/// on each element once among the ranks that hold one copy of the tensor.
/// Collective: all ranks of c. Error: ashlar::error on every rank.
ASHLAR_INLINE void read_npy_shard(communicator const& c, npy_input const& in, distributed_array a, int rank,
                                  unsigned char* shard, element_copy* copy, bytes_seen const& seen);

/// Makes the tensor of a file's elements.
/// Collective: all ranks of m. Error: ashlar::error on every rank.
template <class T, class L, class M>
sharded_tensor<T, L, M> tensor_of_npy(device_mesh<M> const& m, npy_input const& in, bytes_seen const& seen = {}) {
  shape const stored = shape_of(in.extents());
  return tensor_of_file<T, L>(m, in.fortran() ? reversed(stored) : stored,
                              [&](distributed_array const& a, unsigned char* shard) {
                                read_npy_shard(m.communicator(), in, a, m.rank(), shard, copy_elements<T>, seen);
                              });
}

/// Writes the shards to a new file. Collective: all ranks of c.
/// Error: ashlar::error on every rank. Then there is no new file.
ASHLAR_INLINE void write_npy(communicator const& c, std::string const& path, shard_to_write const& shard);

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Reads a .npy file into a tensor of any layout. Each rank reads its part.
/// Shape: the array's extents, of 0 to 8 dimensions. C and Fortran order, both byte orders, and the headers 1.0 to 3.0.
/// Post: a value never changes. float16 becomes float or double, float becomes double; bytes become bool. All other
///   types must be equal: bool, std::int8_t to std::uint64_t, float, double and Kokkos::complex of these.
/// Collective: all ranks of m; it blocks. It has no entry in a ledger.
/// Cost: each rank reads the header, and as many elements as its shard has. If the shard's runs in the file are shorter
///   than 16 KiB, it reads whole rows, and the elements travel by one exchange. Memory: 4 MiB; for Fortran order 12
///   MiB, and each element is moved once more. On several nodes, one rank per node reads the file once more, or 64 MiB
///   of a larger one: the nodes compare size and checksum.
///   If other arrays follow in the file, it reads the first, as numpy.load.
/// Error: ashlar::error on every rank if the file is missing, malformed, shorter or longer than its header declares, or
///   is written meanwhile. Also if it has another element type or number of dimensions, or if files of nodes differ.
///   A partial layout does not compile.
/// Example: io::load_npy<double, layout<"p", "q">>(m, "field.npy") is a sharded_tensor<double, layout<"p", "q">, M>
template <class T, class L, class M>
sharded_tensor<T, L, M> load_npy(device_mesh<M> const& m, std::string const& path, call_site w = call_site::current()) {
  io_detail::tensor_to_read<T, L>::say();
  communicator const& c = m.communicator();
  comm_detail::calls_as const here(c, "load_npy", w, io_detail::way_of_load<T, L, M>());
  return io_detail::tensor_of_npy<T, L>(m, io_detail::opened_npy(c, path, io_detail::type_of_elements<T>(), L::rank));
}

/// Writes a tensor of any layout to a .npy file of format 1.0, row-major, which NumPy reads. Evaluates elementwise
/// expressions. Of a tensor with a halo it writes the owned cells. The file gets its name when all of it is on the disk;
/// until then it is FILE.part.
/// Post: load_npy<T, L>(m, path) has the same elements.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: each element is written once. Of the ranks that hold the same elements, each writes a part. If the shard's
///   runs in the file are shorter than 32 KiB, the elements travel by one exchange. Memory: 4 MiB. For several
///   nodes rank 0 syncs the file before the other ranks open it.
/// Error: ashlar::error on every rank if the file cannot be written, or path, element type or extents differ between
///   ranks. Also if a rank does not see the file that rank 0 has made, as on a disk of a node. Then the old file, if
///   there is one, is unchanged. A partial layout does not compile.
/// Example: io::save_npy(m, "field.npy", u);
template <plain_tensor X>
void save_npy(io_detail::calling_ranks const& c, std::string const& path, X const& expression) {
  auto const& x = io_detail::to_write(expression);
  comm_detail::calls_as const here(c.ranks, "save_npy", c.site, io_detail::way_of(x.layout));
  io_detail::require_ranks(c.ranks, x.mesh().size(), "ashlar::io::save_npy: " + path, "the tensor");
  io_detail::write_npy(c.ranks, path, io_detail::shard_of(x));
}

}  // namespace ashlar::io

#if ASHLAR_IMPL
#include "ashlar/io/impl/npy_files.ipp"
#endif
