// Which way a collective goes.
#pragma once
#include "ashlar/comm/mpi.hpp"

namespace ashlar::comm {

/// How a collective is carried out: by MPI's own collective, or as an exchange: every rank posts its messages to all
/// others and combines what arrives in the order of the ranks. Every collective takes one as its last argument.
/// Pre: the same on all ranks of a call.
/// Source: measured with Open MPI 4.1 and MPICH 4.0 at 2 and 4 ranks of one node: the exchange is never slower, and up
/// to 4 times as fast for large reductions. MPI's collectives take fewer messages, which wins where ranks are many.
struct tuning {
  int exchange_ranks = 16;                                ///< exchange among this many ranks or fewer
  std::size_t whole_bytes_of_2 = std::size_t(512) << 10;  ///< all-reduce of 2 ranks: whole arrays travel, up to this size
  std::size_t whole_bytes = std::size_t(8) << 10;         ///< the same for more ranks; larger arrays are reduced in parts
  std::size_t piece_bytes = std::size_t(512) << 10;       ///< a block is reduced in pieces that fit into a core's cache
  std::size_t count_limit = largest_count;                ///< elements that one MPI call may take
  bool host_memory = true;  ///< false: the arrays may lie where only MPI can read and write them, as on a device

  /// Whether messages between all pairs of `ranks` are the better way.
  bool exchanges(int ranks) const { return ranks <= exchange_ranks && host_memory; }
};

/// What collectives use unless told otherwise. Change it, if at all, before the first collective and on all ranks.
inline tuning tuned;

}  // namespace ashlar::comm
