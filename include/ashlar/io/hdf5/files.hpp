// SPDX-License-Identifier: BSL-1.0
// Tensors in HDF5 files: each rank reads or writes its part.
#pragma once
#include "ashlar/io/hdf5/add.hpp"
#include "ashlar/io/hdf5/attributes.hpp"
#include "ashlar/io/hdf5/input.hpp"
#include "ashlar/io/hdf5/output.hpp"
#include "ashlar/io/hdf5/update.hpp"
#include <cstdio>
#include <exception>
#include <memory>

namespace ashlar::io {

/// How hdf5_file opens a file: h5py's modes "r", "w" and "r+".
enum class hdf5_mode { read, create, change };

/// The mode of an hdf5_file that makes a new file. It is a part of the type.
inline constexpr std::integral_constant<hdf5_mode, hdf5_mode::create> to_create{};
/// The mode of an hdf5_file that changes a file that exists.
inline constexpr std::integral_constant<hdf5_mode, hdf5_mode::change> to_change{};

}  // namespace ashlar::io

namespace ashlar::io_detail {

using io::hdf5_mode;

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
  auto const require_unchanged = [&] { in.bytes().require_unchanged(); };
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

/// What hdf5_file does whatever the types are. Its functions are collective. Error: on every rank; what() begins it.
class open_hdf5_file {
 public:
  open_hdf5_file(communicator const& c, std::string file_path, hdf5_mode mode)
      : ranks_(c), path_(std::move(file_path)), what_(std::string(hdf5_caller) + ": " + path_), mode_(mode) {
    require_same_file(c, path_, hdf5_caller);
    auto const open = [&] {
      file_ = mode == hdf5_mode::read ? checked_file(path_, hdf5_caller) : locked_hdf5(path_);
      in_hdf5(what_, [&] { (void)open_hdf5(path_); });
    };
    if (mode == hdf5_mode::create) {
      created_ = std::make_unique<created_hdf5>(c, path_, hdf5_caller);
    } else if (mode == hdf5_mode::change) {
      comm::on_root(c, open);
      open_on_other_ranks(c, file_, path_, hdf5_caller);
    } else {
      comm::collectively(c, open);
      require_same_content(c, file_);
    }
  }
  ~open_hdf5_file() {
    if (created_ && ranks_.rank() == 0 && std::uncaught_exceptions() == exceptions_)
      std::fprintf(stderr, "%s: nothing is kept of the new file, since close() was not called\n", what_.c_str());
  }
  std::string const& path() const { return path_; }
  std::string const& what() const { return what_; }

  void require_open() const {
    if (!is_open_)
      throw error(comm_detail::with_call(what_ + ": expected an open file, found it closed, or a write that failed"));
  }
  void write(shard_to_write shard, std::string const& dataset, io::hdf5_options const& options) {
    hdf5_field field = comm::collectively(ranks_, [&] {
      return with_begin(what_ + ": ", [&] { return hdf5_field(std::move(shard), dataset, options); });
    });
    if (mode_ == hdf5_mode::change) return add_field(ranks_, file_, path_, what_, field);
    try {
      created_->write(field);
    } catch (...) {
      created_.reset();  // nothing of a file stays that lacks a dataset
      is_open_ = false;
      throw;
    }
  }
  void update(shard_to_write const& shard, std::string const& dataset, std::vector<index_t> begin) {
    update_dataset(ranks_, file_, path_, what_, dataset, std::move(begin), shard);
  }
  std::unique_ptr<hdf5_input> input(std::string const& dataset, array_type to, int rank,
                                    io::hdf5_box const& box) const {
    auto in = comm::collectively(ranks_, [&] {
      auto made = std::make_unique<hdf5_input>(path_, dataset, to, rank, box);
      if (mode_ == hdf5_mode::read && made->bytes().identity() != file_.identity())
        file_.fail("the file changed while it was read");
      return made;
    });
    comm::require_equal(ranks_, in->seen(), what_ + ": element type, place, extents and box");
    return in;
  }
  void close() {
    is_open_ = false;
    if (auto const created = std::move(created_); created) return created->commit();
    if (mode_ == hdf5_mode::change) comm::collectively(ranks_, [&] { file_.close(); });
  }

 private:
  communicator ranks_;
  std::string path_, what_;
  hdf5_mode mode_;
  checked_file file_;  // unless it is created
  std::unique_ptr<created_hdf5> created_;
  bool is_open_ = true;
  int exceptions_ = std::uncaught_exceptions();
};

/// One index per dimension. It takes no braces of hdf5_options.
struct first_index {
  template <class... Index>
    requires(sizeof...(Index) > 0 && (std::is_convertible_v<Index, index_t> && ...))
  first_index(Index...) {}
};

}  // namespace ashlar::io_detail

namespace ashlar::io {

/// An HDF5 file of tensors of any layouts, as h5py reads and writes. It is open to be read, to_create or to_change.
/// to_create makes a new file: FILE.part until close(), which gives it its name when all of it is on the disk. Without
/// close(), as if an exception is thrown or the program ends, there is no new file, and an old one of this name stays.
/// to_change changes a file that exists, call by call: close() only ends the lock. It is not atomic. So keep a copy.
/// Members evaluate elementwise expressions. Of a tensor with a halo they write the owned cells.
/// Pre: of to_change on NFS: all ranks are on one node. Ranks of several nodes would write to one page of the file, and
///   NFS keeps the bytes of one node. No other program writes the file: HDF5's locks tell, if the file system has locks.
/// Collective: every member, over all ranks of m; it blocks. It has no entry in a ledger.
/// Error: ashlar::error on every rank, in every member. Also if ranks give different arguments. HDF5 itself reads
///   descriptions and chunks: a file that was damaged on purpose may end the program. HDF5 follows links, external storage
///   and virtual datasets to other files, which the nodes do not compare. A partial layout does not compile, nor a call
///   that the mode has not.
/// Example: io::hdf5_file f(m, "run.h5", io::to_create); f.write("u", u); f.write("v", v); f.close();
template <class M, hdf5_mode Mode = hdf5_mode::read>
class hdf5_file {
 public:
  /// Cost: each rank opens the file. If it is read, nodes compare it as for load_npy. For a new file of several nodes
  ///   rank 0 syncs a mark that the others read.
  /// Error: if the file is missing, is no HDF5 file, cannot be written, or is open in another program and is changed. Also
  ///   if a rank does not see rank 0's file, or files of nodes that are read differ.
  hdf5_file(device_mesh<M> const& m, std::string path, std::integral_constant<hdf5_mode, Mode> = {},
            call_site w = call_site::current())
      : mesh_(m) {
    call const here(ranks(), "hdf5_file", w, comm_detail::fingerprint_of(collective::exchange, Mode));
    file_.emplace(ranks(), std::move(path), Mode);
  }

  /// Reads a dataset, or a box of it, into a tensor of any layout. The dataset may be contiguous or in chunks, with the
  /// filters that HDF5 has. Elements are converted as by load_npy.
  /// Shape: the dataset's extents, of 0 to 8 dimensions, or the extents of the box.
  /// Cost: each rank reads the elements of its shard. A chunk is read by each rank that needs a part of it. Elements of
  ///   block-cyclic layouts, and runs shorter than 16 KiB, travel by one exchange. Memory: 4 MiB and HDF5's cache, 32 MiB
  ///   or one chunk.
  /// Error: if the file lacks the dataset, or is written meanwhile. Also if the dataset has another element type or number
  ///   of dimensions, or the box is not within it.
  /// Example: io::hdf5_file(m, "run.h5").read<double, layout<"p", "q">>("fields/u")
  /// Example: f.read<double, layout<"p", none>>("u", {{100, 0}, {50, 64}})
  template <class T, class L>
  sharded_tensor<T, L, M> read(std::string const& dataset, hdf5_box const& box = {},
                               call_site w = call_site::current()) const {
    say_readable();
    io_detail::tensor_to_read<T, L>::say();
    call const here(
        ranks(), "hdf5_file::read", w,
        comm_detail::fingerprint_of(collective::exchange, io_detail::way_of_load<T, L, M>(), box.extents.empty()));
    return io_detail::tensor_of_hdf5<T, L>(mesh_,
                                           *open().input(dataset, io_detail::type_of_elements<T>(), L::rank, box));
  }

  /// Reads an attribute of a dataset, a group or, by the object "/", the file. A is a type that tensors in files have,
  /// std::string, or std::vector of one of these. Elements are converted as by load_npy.
  /// Shape: a scalar, or any array of 1 element, as A; a scalar or an array of at most 1 dimension as std::vector.
  /// Cost: rank 0 opens the file, and broadcasts the value.
  /// Error: if object or attribute are missing, or the attribute has another type or extents.
  /// Example: f.read_attribute<std::string>("fields/u", "unit")
  /// Example: f.read_attribute<std::vector<double>>("/", "spacing")
  template <class A>
  A read_attribute(std::string const& object, std::string const& name, call_site w = call_site::current()) const {
    say_readable();
    call const here(ranks(), "hdf5_file::read_attribute", w);
    return io_detail::attribute_of_hdf5<A>(ranks(), open().path(), object, name);
  }

  /// Writes a tensor of any layout as a new dataset. The groups in its name are made.
  /// Post: after close(), read<T, L>(dataset) has the same elements; all other objects of the file are as before.
  /// Cost: rank 0 describes the dataset, and the ranks write the elements, each once. Contiguous: as save_npy.
  ///   In chunks: each rank gets its chunks by one exchange, and compresses them one by one. It keeps compressed chunks
  ///   until all ranks know their sizes. Memory: 8 MiB, two chunks, and the compressed chunks. The file is on the disk
  ///   after close(); of a file that is changed, the dataset after this call, at the end of the file.
  /// Error: if the options do not fit the tensor, the file has an object of this name, or cannot be written. Of a new file
  ///   nothing stays then. Of a file that is changed, also if a group of the name is a link to another file, or if it has
  ///   pages or keeps a list of free room (h5py's fs_strategy and fs_persist). It is unchanged then.
  ///   The elements are on the disk before rank 0 links the dataset, in several writes. If the program ends before, a
  ///   changed file has its old content, and perhaps bytes after its end. If it ends meanwhile, or a write of the
  ///   description fails, the file can be unreadable.
  /// Example: f.write("fields/u", u, {.deflate = 4, .shuffle = true, .attributes = {{"unit", "m/s"}}});
  template <plain_tensor X>
  void write(std::string const& dataset, X const& expression, hdf5_options const& options = {},
             call_site w = call_site::current()) {
    static_assert(
        Mode != hdf5_mode::read,
        "ashlar::io::hdf5_file: the file is open to be read; open it by hdf5_file(m, path, io::to_create), or "
        "io::to_change to add to a file that exists");
    auto const& x = io_detail::to_write(expression);
    call const here(ranks(), "hdf5_file::write", w, io_detail::way_of(x.layout));
    open().write(shard(x, dataset), dataset, options);
  }
  /// A first index of a box is an error: write makes new datasets.
  template <plain_tensor X>
  void write(std::string const&, X const&, io_detail::first_index) {
    static_assert(
        !std::is_same_v<X, X>,
        "ashlar::io::hdf5_file: write makes a new dataset; write a box of one that exists by update(dataset, x, "
        "begin), in a file that is open io::to_change");
  }

  /// Writes a tensor of any layout into a box of a dataset that exists: its elements from index `begin` on. The box has
  /// the tensor's extents. The dataset is contiguous or in chunks, with the filters that HDF5 can apply, and of any byte order.
  /// Post: read<T, L>(dataset, {begin, extents}) has the same elements; all others are as before. A value never changes:
  ///   float becomes double, bytes become bool, bool becomes bytes; all other types are equal.
  /// Cost: contiguous: as save_npy, and one write for each run of elements that is consecutive in the file. In chunks:
  ///   each chunk goes to one rank by one exchange. That rank reads it if the box covers only a part, packs it, and writes
  ///   it. Memory: contiguous 5 MiB; in chunks 12 MiB and five chunks, and with filters the rank's packed chunks.
  /// Error: if the dataset is missing, the box is not within it, or the elements have another type. Also if the storage is
  ///   compact, virtual, or in another file, if HDF5 cannot apply a filter, or if ranks name different datasets. Then the
  ///   file is unchanged.
  ///   If a write fails or the program ends meanwhile, elements of the box can be old or new, and chunks with filters that
  ///   overlap the box unreadable. If it ends at the beginning, bytes can follow the end of the file. If it ends while
  ///   rank 0 writes a new description of the dataset, the dataset or the file can be unreadable.
  /// Example: io::hdf5_file f(m, "run.h5", io::to_change); f.update("u", u, {100, 0}); f.close();
  template <plain_tensor X>
  void update(std::string const& dataset, X const& expression, std::vector<index_t> begin,
              call_site w = call_site::current()) {
    static_assert(Mode == hdf5_mode::change,
                  "ashlar::io::hdf5_file: update writes into a dataset of a file that exists; open it by hdf5_file(m, "
                  "path, io::to_change)");
    auto const& x = io_detail::to_write(expression);
    call const here(ranks(), "hdf5_file::update", w, io_detail::way_of(x.layout));
    open().update(shard(x, dataset), dataset, std::move(begin));
  }

  /// Ends the work with the file. A new file gets its name when all of it is on the disk.
  void close(call_site w = call_site::current()) {
    call const here(ranks(), "hdf5_file::close", w);
    open().close();
  }

 private:
  using call = comm_detail::calls_as;
  static constexpr void say_readable() {
    static_assert(Mode != hdf5_mode::create,
                  "ashlar::io::hdf5_file: a file that is created is read after close(); open it by hdf5_file(m, path)");
  }
  communicator const& ranks() const { return mesh_.communicator(); }
  template <class X>
  io_detail::shard_to_write shard(X const& x, std::string const& dataset) const {
    io_detail::require_ranks(ranks(), x.mesh().size(), open().what(), dataset);
    return io_detail::shard_of(x);
  }
  // Error: if the file is closed.
  io_detail::open_hdf5_file& open() const {
    file_->require_open();
    return *file_;
  }

  device_mesh<M> mesh_;
  std::optional<io_detail::open_hdf5_file> mutable file_;
};

}  // namespace ashlar::io
