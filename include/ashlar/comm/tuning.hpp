// Which way a collective goes.
#pragma once
#include <cstdint>
#include <cstdlib>

#include "ashlar/comm/mpi.hpp"

namespace ashlar::comm {

/// How a collective is carried out: by MPI's own collective, or as an exchange, in which every rank posts its messages
/// to all others and combines what arrives in the order of the ranks. Every collective takes one as its last argument.
/// Pre: the same on all ranks of a call.
/// Source: measured with Open MPI 4.1 and MPICH 4.0 at 2 and 4 ranks of one node: the exchange is never slower and, for
///   large reductions, up to 4 times as fast. MPI's collectives take fewer messages, which wins where ranks are many.
struct tuning {
  static constexpr std::size_t kibibyte = 1024;

  int exchange_ranks = 16;                        ///< exchange among this many ranks or fewer
  std::size_t whole_bytes_of_2 = 64 * kibibyte;   ///< all-reduce of 2 ranks: up to this size whole arrays travel
  std::size_t whole_bytes = 8 * kibibyte;         ///< the same for more ranks; larger arrays are reduced in parts
  std::size_t piece_bytes = 512 * kibibyte;       ///< blocks are combined in pieces that fit into a core's cache
  std::size_t count_limit = largest_count;        ///< elements that one call of MPI may take

  bool shared_memory = true;         ///< for meshes made from now on: ranks of a node read each other's memory
  std::size_t inline_bytes = 4096;   ///< there, operands up to this size are copied to where the others look for calls
  std::uint64_t agree_every = 16;    ///< of so many verbs one is compared between ranks, where MPI's own collectives serve; 0: none
  double patience = 0.5;             ///< seconds after which a rank that waits in a verb asks the others what they call
  double deadline = 0;               ///< for meshes made from now on: seconds after which waiting for a rank is an error; 0: never

  /// False: only MPI reads and writes the arrays, which may lie on a device. (A rank alone copies in host memory.)
#ifdef ASHLAR_GPU_AWARE_MPI
  bool host_memory = false;
#else
  bool host_memory = true;
#endif

  /// Whether collectives of so many ranks are exchanges.
  bool exchanges(int ranks) const { return ranks <= exchange_ranks && host_memory; }
};

/// What collectives use unless told otherwise. Change it, if at all, before the first collective and on all ranks.
inline tuning tuned;

/// Seconds after which a rank that waits in a verb gives up: $ASHLAR_DEADLINE, or what the program says; 0: never.
inline double deadline() {
  char const* const text = std::getenv("ASHLAR_DEADLINE");
  return text == nullptr ? tuned.deadline : std::atof(text);
}

}  // namespace ashlar::comm
