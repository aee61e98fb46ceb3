// SPDX-License-Identifier: BSL-1.0
// The calls, bytes and messages of a communicator's collectives so far.
#pragma once
#include <cstdint>

namespace ashlar::comm {

/// A collective is counted when it begins. Collectives of one rank are not counted. A communicator shares its counters
/// with its copies and with communicators split off from it.
struct counters {
  struct entry {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;  ///< bytes of elements that this rank contributes and others need; each counts once.

    void add(std::uint64_t n) {
      ++calls;
      bytes += n;
    }
    friend bool operator==(entry const&, entry const&) = default;
  };

  entry all_reduce;      ///< bytes: the array.
  entry all_gather;      ///< bytes: the own block.
  entry reduce_scatter;  ///< bytes: all blocks but the own.
  entry all_to_all;      ///< bytes: all blocks but the own.
  entry permute;         ///< bytes: the block sent to another rank.
  entry broadcast;       ///< bytes: the array at the root, 0 elsewhere.
  entry agreement;       ///< by collectively, on_root, require_equal.

  std::uint64_t mpi_collectives = 0;  ///< calls of MPI's collectives by the above.
  std::uint64_t mpi_sends = 0;        ///< messages sent by the above.

  friend bool operator==(counters const&, counters const&) = default;
};

}  // namespace ashlar::comm
