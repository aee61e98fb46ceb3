// SPDX-License-Identifier: BSL-1.0
// Tensors in .npz files: each rank reads or writes its part of each array.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/io/npy_files.hpp"
#include "ashlar/io/zip.hpp"
#include "ashlar/io/zlib.hpp"

namespace ashlar::io {

/// A tensor and its name in a .npz file.
/// Example: io::save_npz(m, "run.npz", io::npz_array("u", u), io::npz_array("v", v));
template <class X>
struct npz_array {
  std::string name;
  X const& tensor;

  npz_array(std::string n, X const& t) : name(std::move(n)), tensor(t) {}
};

}  // namespace ashlar::io

namespace ashlar::io_detail {

/// An array of a .npz file, and the checksum of the bytes that this rank reads.
class npz_input {
 public:
  /// Opens the file on every rank. Collective: all ranks of c.
  /// Error: ashlar::error on every rank, also if the ranks name, or read, different arrays.
  npz_input(communicator const& c, std::string const& file_path, std::string const& array_name, array_type to,
            int rank);
  npy_input const& array() const { return *in_; }
  /// Adds to the checksum. Of the ranks that read the same bytes, one counts.
  bytes_seen counted(bool counts);
  /// Compares the checksum of all ranks with the directory's. Collective: all ranks of c. Error: on every rank.
  void require_sum(communicator const& c);

 private:
  std::string what_;
  zip_member member_;
  std::optional<npy_input> in_;
  std::uint32_t sum_ = 0;
};

/// A tensor that becomes an array of a .npz file.
struct npz_part {
  std::string name, header;
  shard_to_write shard;
};

/// Writes the arrays. Collective: all ranks of c, which are the ranks of their meshes.
ASHLAR_INLINE void write_npz(communicator const& c, std::string const& path, std::vector<npz_part> const& parts);

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// Reads an array of a .npz file into a tensor of any layout. Each rank reads its part. The array is stored or deflated:
/// numpy.savez and numpy.savez_compressed write such files, save_npz does, and zip. As for numpy.load, the last array of a
/// name counts, and other bytes may come before the archive or after it.
/// Shape: the array's extents, of 0 to 8 dimensions.
/// Post: as load_npy of the member NAME.npy: a value never changes, all orders and headers are read.
/// Collective: all ranks of m; it blocks. It has no entry in a ledger.
/// Cost: as load_npy on one node; and each rank reads the directory at the end of the file. The ranks compute the
///   CRC-32 of the bytes that they read, and compare it with the directory by an all-reduce of 8 bytes. Each rank
///   inflates a deflated array from its begin to the end of the rank's part, and the elements travel by one exchange.
///   Memory: 0.1 MB more.
/// Error: ashlar::error on every rank, also if the file has no such array, or has it encrypted, damaged or compressed by
///   another method. Also if arrays of nodes differ: the checksum finds it. As load_npy for the array itself. A partial
///   layout does not compile.
/// Example: io::load_npz<double, layout<"p", "q">>(m, "run.npz", "u") is a sharded_tensor<double, layout<"p", "q">, M>
/// Source: PKWARE, APPNOTE.TXT 6.3.10, .ZIP File Format Specification.
template <class T, class L, class M>
sharded_tensor<T, L, M> load_npz(device_mesh<M> const& m, std::string const& path, std::string const& name,
                                 call_site w = call_site::current()) {
  io_detail::tensor_to_read<T, L>::say();
  communicator const& c = m.communicator();
  comm_detail::calls_as const here(c, "load_npz", w, io_detail::way_of_load<T, L, M>());
  io_detail::npz_input in(c, path, name, io_detail::type_of_elements<T>(), L::rank);
  // Copies of the tensor read the same bytes. The first of them counts.
  bool const counts = m.sizes().position(m.rank(), ~sharded_tensor<T, L, M>::layout.sharding()) == 0;
  auto x = io_detail::tensor_of_npy<T, L>(m, in.array(), in.counted(counts));
  in.require_sum(c);
  return x;
}

/// Writes tensors of any layouts to a .npz file without compression, which numpy.load reads. Evaluates elementwise
/// expressions. The file gets its name when all of it is on the disk; until then it is FILE.part.
/// Pre: the tensors' meshes have the same ranks in the same order.
/// Post: load_npz<T, L>(m, path, name) has the same elements. The file is the same on any number of ranks.
/// Collective: all ranks of the meshes; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: as save_npy for each array; and the CRC-32 of each byte, by the rank that writes it. Above 4 GiB it is a zip64
///   file.
/// Error: as save_npy. Also if names differ between ranks, or a name is empty, occurs twice, or leads out of a folder.
/// Example: io::save_npz(m, "run.npz", io::npz_array("u", u), io::npz_array("energy", u * u));
template <plain_tensor... X>
void save_npz(io_detail::calling_ranks const& c, std::string const& path, npz_array<X> const&... arrays) {
  static_assert(sizeof...(X) != 0, "ashlar::io::save_npz: a file has one array or more; give npz_array(\"u\", u)");
  comm_detail::calls_as const here(c.ranks, "save_npz", c.site, io_detail::way_of_tensors<X...>());
  std::vector<io_detail::npz_part> parts;
  auto const add = [&](auto const& a) {
    auto const& x = io_detail::to_write(a.tensor);
    io_detail::require_ranks(c.ranks, x.mesh().size(), "ashlar::io::save_npz: " + path, a.name);
    io_detail::shard_to_write shard = io_detail::shard_of(x);
    parts.push_back({a.name, io_detail::npy_header_of(shard.type, x.extents()), std::move(shard)});
  };
  (add(arrays), ...);
  io_detail::write_npz(c.ranks, path, parts);
}

}  // namespace ashlar::io

#if ASHLAR_IMPL
#include "ashlar/io/impl/npz_files.ipp"
#endif
