// SPDX-License-Identifier: BSL-1.0
// Ranks of a node that still read this rank's memory after it has left their round.
#pragma once
#include "ashlar/comm/node/group.hpp"

namespace ashlar::comm_detail {

/// Ranks that may still read memory of this rank in a round that this rank has left. It outlives their group: slots are
/// never unmapped, and their numbers only grow.
class remaining_readers {
 public:
  /// Adds rank q of the group, in the group's present round.
  void add(node_group const& g, int q);
  /// Post: no rank reads the memory. A rank whose process has ended reads nothing any more.
  /// Error: ashlar::error if a rank has not come to the end of its round by the deadline. It may still read.
  void wait() {
    if (!ranks_.empty()) wait_for_ranks();
  }

 private:
  struct reading {
    node_group::member rank;
    std::uint64_t round;
  };
  void wait_for_ranks();
  void wait_long_for(reading const& r);

  std::vector<reading> ranks_;
  node_group::waiting how_;
  bool (*may_poll_)() = nullptr;  // a pointer: programs without a node's ranks need no symbol of MPI
  int own_rank_ = 0;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/remaining_readers.ipp"
#endif
