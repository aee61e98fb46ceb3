// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/remaining_readers.hpp.
#include "ashlar/comm/environment.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void remaining_readers::add(node_group const& g, int q) {
  node_group::member const& m = g.rank_of_node(q);
  if (q == g.rank()) return;
  ranks_.push_back({m, m.round + g.round()});
  how_ = g.how_to_wait();
  may_poll_ = mpi_is_usable;
  own_rank_ = g.rank_of_node(g.rank()).rank;
}

ASHLAR_INLINE void remaining_readers::wait_for_ranks() {
  for (reading const& r : ranks_)
    for (int poll_number = 0; r.rank.slot->done.load(std::memory_order_acquire) < r.round; ++poll_number) {
      if (poll_number == how_.polls) {
        wait_long_for(r);
        break;
      }
      pause_core();
    }
  ranks_.clear();
}

ASHLAR_INLINE void remaining_readers::wait_long_for(reading const& r) {
  node_group::waiting how = how_;
  how.meanwhile = [](void* readers) {  // MPI progresses on messages of the program, if it is usable
    remaining_readers const& here = *static_cast<remaining_readers const*>(readers);
    if (here.may_poll_()) here.how_.meanwhile(nullptr);  // the monitor may be gone by then
  };
  how.argument = this;
  double const since = clock_seconds();
  if (node_group::poll_and_yield(how, r.rank, r.rank.slot->done, r.round, since) != node_group::wait_end::late) return;
  throw error("ashlar: rank " + std::to_string(own_rank_) + " waited " +
              std::to_string(static_cast<int>(clock_seconds() - since + 0.5)) +
              " s on its node to write memory that rank " + std::to_string(r.rank.rank) +
              " reads in a collective that it has not come to the end of");
}

}  // namespace ashlar::comm_detail
