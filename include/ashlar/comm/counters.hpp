// What the collectives of a communicator have sent so far.
#pragma once
#include <cstdint>

namespace ashlar {

/// Counted where a collective enters MPI: collectives of one rank or of no elements leave no trace. Shared by a
/// communicator, its copies and all that were split off.
struct comm_counters {
  struct entry {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;  ///< elements that this rank contributes and others need, in bytes, each counted once

    void add(std::uint64_t n) {
      ++calls;
      bytes += n;
    }
    friend bool operator==(entry const&, entry const&) = default;
  };

  entry all_reduce;      ///< bytes: the array
  entry all_gather;      ///< bytes: the own block
  entry reduce_scatter;  ///< bytes: all blocks but the own
  entry all_to_all;      ///< bytes: all blocks but the own
  entry permute;         ///< bytes: the block sent to another rank
  entry broadcast;       ///< bytes: the array at the root, 0 elsewhere
  entry agreement;       ///< collectively, on_root, require_equal

  std::uint64_t mpi_collectives = 0;  ///< calls of MPI's collectives that the above made
  std::uint64_t mpi_sends = 0;        ///< messages that the above sent

  friend bool operator==(comm_counters const&, comm_counters const&) = default;
};

}  // namespace ashlar
