// SPDX-License-Identifier: BSL-1.0
// Whether ranks have opened the same file. On nodes that do not share a folder, one name means several files.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/io/crc32c.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::io_detail {

/// The ranks that call a function of files, by their mesh or communicator, and the line of the call.
struct calling_ranks {
  communicator ranks;
  call_site site;

  calling_ranks(communicator const& c, call_site w = call_site::current()) : ranks(c), site(w) {}
  template <class M>
  calling_ranks(device_mesh<M> const& m, call_site w = call_site::current()) : ranks(m.communicator()), site(w) {}
};

/// A random number. Error: ashlar::error with the caller if the system gives none.
ASHLAR_INLINE std::uint64_t random_number(char const* caller);

/// Calls f on all ranks but 0. Its errors name the rank.
/// Collective: all ranks of c. Cost: an all-reduce of 64 bytes.
/// Error: ashlar::error on every rank, with the text of the lowest rank whose f threw.
template <class F>
void on_other_ranks(communicator const& c, F const& f) {
  std::optional<std::string> failure;
  if (c.rank() != 0) comm_detail::run_catching(f, failure);
  comm_detail::throw_together(c, std::move(failure), false);
}

/// Opens a file to write it. Rank 0 "has made" the file, or "writes" it if it was there before. No MPI.
/// Error: ashlar::error with the number of this rank, and the question whether all nodes share the folder.
ASHLAR_INLINE checked_file open_file_of_root(std::string const& path, char const* caller, int rank,
                                             char const* root = "has made");

/// Shows ranks whether they have opened the file that rank 0 writes. On one node they compare its disk and its number
/// there. On several nodes rank 0 writes a random number after the end of the file, and the others read it. The number
/// has a page of its own: NFS may write a page as this node has read it, and lose the bytes of others.
class file_mark {
 public:
  explicit file_mark(communicator const& c, char const* root = "has made")
      : root_(root), in_file_(c.size() > 1 && !c.state().node) {}
  /// True on several nodes.
  bool is_in_file() const { return in_file_; }
  /// On rank 0: marks a file of n bytes. No MPI.
  void write(checked_file const& file, std::uint64_t n, char const* caller);
  /// On rank 0: waits until other nodes can read the mark. No MPI.
  void sync(checked_file const& file) const {
    if (in_file_) file.sync();
  }
  /// On rank 0: gives the file its n bytes again. No MPI.
  void remove(checked_file const& file, std::uint64_t n) const {
    if (in_file_) file.resize(n, n);
  }
  /// Tells all ranks the mark. Collective: all ranks of c. Cost: a broadcast of 8 bytes.
  void share(communicator const& c) { comm::broadcast(c, &number_, 1, 0); }
  /// On another rank: opens the file to write it. No MPI.
  /// Error: as open_file_of_root; also if the file has another mark.
  checked_file open(std::string const& path, char const* caller, int rank) const;

 private:
  std::uint64_t found_in(checked_file const& file) const;

  char const* root_;
  bool in_file_;
  std::uint64_t number_ = 0;
};

/// Opens on all other ranks a file that was there before, and that rank 0 has opened to write it.
/// Post: the file has its old size, also if this throws.
/// Collective: all ranks of c.
/// Cost: a broadcast of 8 bytes and 3 all-reduces of 64 bytes. If c has several nodes, rank 0 syncs the file.
/// Error: ashlar::error on every rank if a rank has opened another file.
ASHLAR_INLINE void open_on_other_ranks(communicator const& c, checked_file& file, std::string const& path,
                                       char const* caller);

/// Checks that all ranks have opened one file, or equal copies. Compares the size, and a checksum of all bytes up to
/// 64 MiB. Of a larger file it compares a checksum of 16 blocks of 4 MiB. Times may differ.
/// Collective: all ranks of c.
/// Cost: an all-reduce of 64 bytes. On several nodes also an all-gather of 8 bytes per rank, 2 all-reduces of 64 bytes
/// and a broadcast of 8 bytes; one rank per node reads up to 64 MiB. The same if ranks of a node have opened several
/// files.
/// Error: ashlar::error on every rank.
ASHLAR_INLINE void require_same_content(communicator const& c, checked_file const& file);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/same_file.ipp"
#endif
