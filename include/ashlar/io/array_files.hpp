// SPDX-License-Identifier: BSL-1.0
// The shards of a tensor and the elements of a file: each rank reads or writes its part.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/array_pieces.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/crc32c.hpp"
#include "ashlar/io/same_file.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ashlar::io_detail {

/// The type in files of a tensor's elements, or `unreadable`.
template <class T>
constexpr array_type type_of_elements() {
  if constexpr (std::is_same_v<T, bool>)
    return array_type::boolean;
  else if constexpr (std::is_same_v<T, float>)
    return array_type::float32;
  else if constexpr (std::is_same_v<T, double>)
    return array_type::float64;
  else if constexpr (std::is_same_v<T, Kokkos::complex<float>>)
    return array_type::complex64;
  else if constexpr (std::is_same_v<T, Kokkos::complex<double>>)
    return array_type::complex128;
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return integer_type(std::is_signed_v<T>, sizeof(T));
  else
    return array_type::unreadable;
}
template <class T, class L>
struct tensor_to_read {
  static constexpr bool whole = !layout_is_partial<L>::value,
                        elements = type_of_elements<T>() != array_type::unreadable;
  static constexpr void say() {
    static_assert(
        whole,
        "ashlar::io: the layout is partial, and each rank would hold the whole value; take the layout without it");
    static_assert(
        elements,
        "ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; load one of these and cast the tensor");
  }
};
template <class X>
struct tensor_to_write {
  static constexpr bool whole = !layout_is_partial<owned_layout_t<layout_t<X>>>::value,
                        elements = type_of_elements<element_t<X>>() != array_type::unreadable;
  static constexpr void say() {
    static_assert(whole, "ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first");
    static_assert(
        elements,
        "ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these");
  }
};
/// The tensor that a file gets: of a tensor with a halo the owned cells, of an expression its value. Without them it is x
/// itself: a copy of a tensor in the program's memory would copy the elements.
template <class X>
decltype(auto) to_write(X const& x) {
  tensor_to_write<X>::say();
  if constexpr (layout_has_a_halo<layout_t<X>>::value)
    return plan_detail::evaluated(ops_detail::without_halo(x));
  else
    return plan_detail::materialize(x);
}

ASHLAR_INLINE shape shape_of(std::vector<index_t> const& extents);

/// An array of a file, as tensors of this layout have it.
template <class M>
distributed_array array_of(device_mesh<M> const& m, layout_value const& layout, shape const& extents,
                           std::size_t element_bytes) {
  return {extents, element_bytes, chunk_for(static_cast<std::size_t>(extents.size()) * element_bytes),
          layout,  m.sizes(),     m.communicator(layout.sharding())};
}

/// The way of a function of files depends on the layout of each tensor. All ranks compare it.
inline std::uint64_t way_of(layout_value const& layout) {
  return comm_detail::fingerprint_of(collective::exchange, encode(layout), encode_blocks(layout));
}
/// Of a function that reads elements T, also on their type.
template <class T, class L, class M>
std::uint64_t way_of_load() {
  return comm_detail::fingerprint_of(collective::exchange, way_of(sharded_tensor<T, L, M>::layout),
                                     type_of_elements<T>());
}
/// The same for several tensors.
template <class... X>
std::uint64_t way_of_tensors() {
  return comm_detail::fingerprint_of(collective::exchange, sizeof...(X),
                                     way_of(plan_detail::value_on<mesh_t<X>, owned_layout_t<layout_t<X>>>)...);
}

/// The bytes of a rank's longest runs of consecutive elements, about.
ASHLAR_INLINE std::size_t run_bytes(distributed_array const& a);
/// True if each rank reads, or writes, the elements of its own shard. Else the ranks take consecutive parts of the file,
/// and exchange their elements, as for a file that is read in order. An exchange copies the elements twice more, and the
/// ranks wait for each other. Shorter runs of several ranks cost more when they are written: blocks of the disk and of the system's cache are then shared
/// by ranks.
inline bool reads_own_elements(distributed_array const& a) {
  return !a.reads_in_order && run_bytes(a) >= std::size_t{16} << 10;
}
inline bool writes_own_elements(distributed_array const& a) { return run_bytes(a) >= std::size_t{32} << 10; }

/// Reads n consecutive elements of a file, from number `first` on, or writes them. No MPI.
using element_reader = std::function<void(index_t first, index_t n, unsigned char* to)>;
using element_writer = std::function<void(index_t first, index_t n, unsigned char const* from)>;

/// Fills this rank's shard.
/// Collective: the ranks of a.group. An error of `read` becomes `failure`; the ranks agree on it later.
ASHLAR_INLINE void read_shard(distributed_array const& a, int rank, unsigned char* shard,
                              exchange_buffers const& buffers, std::optional<std::string>& failure,
                              element_reader const& read);

/// Makes a tensor of an array of a file. read(array, shard) fills this rank's shard in memory of the host.
/// Collective: all ranks of m, if read is. Error: ashlar::error on every rank.
template <class T, class L, class M, class Read>
sharded_tensor<T, L, M> tensor_of_file(device_mesh<M> const& m, shape const& extents, Read const& read) {
  using X = sharded_tensor<T, L, M>;
  X x = comm::collectively(m.communicator(), [&] { return X(m, extents); });
  tensor_detail::host_elements<typename X::execution_space, T> const own(tensor_detail::cells_of(x), x.local_size());
  read(array_of(m, X::layout, x.extents(), sizeof(T)), reinterpret_cast<unsigned char*>(own.data()));
  own.write();
  return x;
}

/// A tensor's shard in memory of the host, to be written as a part of an array.
struct shard_to_write {
  array_type type;
  distributed_array array;
  int rank;
  std::shared_ptr<void const> owner;  // of the bytes
  unsigned char const* bytes;
};

/// The shard of a tensor. Collective: all ranks of its mesh. Error: on every rank if one has no memory on the host.
template <class X>
shard_to_write shard_of(X const& x) {
  using T = typename X::element_type;
  using Space = typename X::execution_space;
  auto const& m = x.mesh();
  auto const made = [&] {
    auto const elements = tensor_detail::on_host<Space>(x.data(), x.local_size());
    std::shared_ptr<void const> owner = tensor_detail::block_of(x);
    if constexpr (!tensor_detail::lies_on_host<Space>)
      owner = std::make_shared<std::remove_const_t<decltype(elements)>>(elements);
    return shard_to_write{type_of_elements<T>(), array_of(m, x.layout, x.extents(), sizeof(T)), m.rank(),
                          std::move(owner), reinterpret_cast<unsigned char const*>(elements.data())};
  };
  if constexpr (tensor_detail::lies_on_host<Space>)
    return made();
  else
    return comm::collectively(m.communicator(), made);
}

/// Checks that a tensor is on the ranks that write it. Error: ashlar::error, the same on every rank.
inline void require_ranks(communicator const& c, int found, std::string const& what, std::string const& name) {
  if (found != c.size())
    throw error(comm_detail::with_call(what + ": expected " + name + " on a mesh of " + std::to_string(c.size()) +
                                       " ranks, as call this, found one of " + std::to_string(found) +
                                       "; give its own mesh"));
}

/// Writes the elements of the shards, each once.
/// Collective: the ranks of the array's group. An error of `write` becomes `failure`.
ASHLAR_INLINE void write_shard(shard_to_write const& shard, exchange_buffers const& buffers,
                               std::optional<std::string>& failure, element_writer const& write);

/// Checks that all ranks of c name one file. Collective: all ranks of c.
ASHLAR_INLINE void require_same_file(communicator const& c, std::string const& path, std::string const& caller);

/// A file that all ranks write. It gets its name when all of it is on the disk; until then it is FILE.part. Without
/// publish() nothing of it stays.
class shared_output {
 public:
  /// No MPI.
  shared_output(communicator const& c, std::string file_path, char const* caller)
      : ranks_(c), path_(std::move(file_path)), caller_(caller), part_(path_ + ".part", caller), mark_(c) {}
  std::string const& path() const { return path_; }
  /// Its name until it is published.
  std::string const& part() const { return part_.path(); }
  checked_file const& file() const { return file_; }

  /// Rank 0 makes the file by f(file), which returns its size, and marks it. The other ranks open it.
  /// Collective: all ranks of c. Cost: 2 all-reduces of 64 bytes and a broadcast of 8 bytes. If c has several nodes,
  /// rank 0 syncs the file.
  /// Error: ashlar::error on every rank, also if a rank does not see the file that rank 0 has made.
  template <class F>
  void create_and_open(F const& f) {
    comm::on_root(ranks_, [&] {
      create(f);
      mark_.sync(file_);
    });
    share_mark();
    open();
  }
  /// The same in steps. create(), on rank 0, and open_unseen() need no MPI. A sync of rank 0 comes before open().
  template <class F>
  void create(F const& f) {
    file_ = part_.create();
    size_ = f(file_);
    mark_.write(file_, size_, caller_);
  }
  void share_mark() { mark_.share(ranks_); }
  void open_unseen() {
    if (ranks_.rank() != 0) file_ = open_file_of_root(part(), caller_, ranks_.rank());
  }
  void open() {
    on_other_ranks(ranks_, [&] { file_ = mark_.open(part(), caller_, ranks_.rank()); });
  }
  /// Removes the mark, so that the file can grow. Collective: all ranks of c. Pre: no element has been written.
  void begin_to_grow();
  /// On rank 0: gives the file n bytes. No MPI.
  void resize(std::uint64_t n) { file_.resize(n, std::exchange(size_, n)); }

  /// Removes the mark, and waits until the bytes that this rank wrote are on the disk. No MPI.
  void close();
  /// On rank 0: gives the file its name. No MPI.
  void publish() {
    part_.keep_as(path_);
    sync_folder_of(path_, caller_);
  }
  /// Gives the file its name after all ranks have closed it. `failure` is this rank's error, if any.
  /// Collective: all ranks. Error: ashlar::error on every rank if any rank failed. Then there is no new file.
  void commit(std::optional<std::string> failure);

 private:
  communicator ranks_;
  std::string path_;
  char const* caller_;
  unfinished_file part_;
  checked_file file_;
  std::uint64_t size_ = 0;  // on rank 0
  file_mark mark_;
};

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/array_files.ipp"
#endif
