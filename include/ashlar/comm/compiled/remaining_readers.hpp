// The functions of comm/node/remaining_readers.hpp.
#pragma once
#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/node/remaining_readers.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void remaining_readers::add(node_group const& g, int q) {
  node_group::member const& m = g.rank_of_node(q);
  if (q == g.rank()) return;
  ranks_.push_back({&m.slot->done, m.round + g.round(), m.process, m.rank});
  how_ = g.how_to_wait();
  may_poll_ = mpi_is_usable;
  how_.argument = nullptr;  // the monitor may be gone by then
  own_rank_ = g.rank_of_node(g.rank()).rank;
}

ASHLAR_INLINE void remaining_readers::wait_for_ranks() {
  for (reading const& r : ranks_)
    for (int poll_number = 0; r.done->load(std::memory_order_acquire) < r.round; ++poll_number) {
      if (poll_number == how_.polls) {
        wait_long_for(r);
        break;
      }
      pause_core();
    }
  ranks_.clear();
}

ASHLAR_INLINE void remaining_readers::wait_long_for(reading const& r) const {
  double const since = clock_seconds();
  for (unsigned poll_number = 1; r.done->load(std::memory_order_acquire) < r.round; ++poll_number) {
    how_.oversubscribed ? yield_core(poll_number) : static_cast<void>(sched_yield());
    if (poll_number % 16 == 0 && may_poll_()) how_.meanwhile(how_.argument);
    if (poll_number % (how_.oversubscribed ? 16 : 256) != 0) continue;
    double const waited = clock_seconds() - since;
    if (waited < 0.5) continue;
    if (r.process.has_ended()) return;
    if (how_.deadline > 0 && waited > how_.deadline)
      throw error("ashlar: rank " + std::to_string(own_rank_) + " waited " +
                  std::to_string(static_cast<int>(waited + 0.5)) + " s on its node to write memory that rank " +
                  std::to_string(r.rank) + " reads in a collective that it has not come to the end of");
  }
}

}  // namespace ashlar::comm_detail
