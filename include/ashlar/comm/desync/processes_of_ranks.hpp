// SPDX-License-Identifier: BSL-1.0
// Whether ranks of this node have died.
#pragma once
#include <cstddef>
#include <vector>

#include "ashlar/comm/mpi.hpp"
#include "ashlar/comm/node/process.hpp"

namespace ashlar::comm_detail {

/// The processes of the ranks of a communicator, as far as this process sees them. It sees processes of its node. A rank
/// of another container has another number here, or none: it is not seen.
class processes_of_ranks {
 public:
  processes_of_ranks() = default;
  /// Pre: `ranks` is the size of `comm`. Collective: over `comm`; blocks. Cost: an all-gather of 24 bytes per rank.
  processes_of_ranks(MPI_Comm comm, int ranks);

  /// True if the process of rank q is known to have ended.
  bool has_ended(int q) const { return seen_[static_cast<std::size_t>(q)].has_ended(); }
  /// The first rank whose process has ended, or -1.
  int first_ended() const {
    for (std::size_t q = 0; q < seen_.size(); ++q)
      if (seen_[q].has_ended()) return static_cast<int>(q);
    return -1;
  }

 private:
  std::vector<known_process> seen_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/processes_of_ranks.ipp"
#endif
