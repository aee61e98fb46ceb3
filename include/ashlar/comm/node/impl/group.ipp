// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/group.hpp.
#include "ashlar/comm/collective_log.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE bool node_group::left_slot::is_free() const {
  return std::all_of(members.begin(), members.end(), [](member const& m) { return m.has_left(); });
}

ASHLAR_INLINE node_group::~node_group() {
  node_slot* const slot = own().slot;
  slot->groups_left.fetch_add(1, std::memory_order_release);
  release_({slot, std::move(members_)});
}

ASHLAR_INLINE void node_group::wait_until_all_have_arrived() {
  or_give_up([&] {
    double since = 0;
    for (member const& m : members_) wait_for(m, turn(m, round_).arrived, since, "has not come");
  });
}

ASHLAR_INLINE void node_group::wait_until_all_are_done() {
  or_give_up([&] {
    double since = 0;
    for (member const& m : members_) {
      wait_for(m, m.slot->done, since, "has not come to its end");
      if (m.has_given_up()) throw_late(m, "has given up after an error", 0);
    }
  });
}

ASHLAR_INLINE void node_group::require_unchanged(int q) {
  std::atomic_thread_fence(std::memory_order_acquire);  // after the last read
  member const& m = rank_of_node(q);
  if (m.has_given_up()) or_give_up([&] { throw_late(m, "has given up after an error", 0); });
}

ASHLAR_INLINE node_group::wait_end node_group::poll_and_yield(waiting const& how, member const& m,
                                                              std::atomic<std::uint64_t> const& flag,
                                                              std::uint64_t round, double since) {
  auto const came = [&] { return flag.load(std::memory_order_acquire) >= round; };
  for (unsigned poll_number = 1; !came(); ++poll_number) {
    if (m.has_given_up()) return came() ? wait_end::came : wait_end::given_up;
    how.oversubscribed ? yield_core(poll_number) : static_cast<void>(sched_yield());
    if (poll_number % 16 == 0) how.meanwhile(how.argument);
    if (poll_number % (how.oversubscribed ? 16 : 256) != 0) continue;
    double const waited = clock_seconds() - since;
    if (waited < 0.5) continue;
    if (m.process.has_ended()) return came() ? wait_end::came : wait_end::ended;
    if (how.deadline > 0 && waited > how.deadline) return wait_end::late;
  }
  return wait_end::came;
}

ASHLAR_INLINE void node_group::wait_long_for(member const& m, std::atomic<std::uint64_t> const& flag,
                                             std::uint64_t round, double& since, char const* late) const {
  if (since == 0) since = clock_seconds();
  wait_end const end = poll_and_yield(how_, m, flag, round, since);
  if (end == wait_end::came) return;
  char const* const fate = end == wait_end::given_up ? "has given up after an error"
                           : end == wait_end::ended  ? "has ended"
                                                     : late;
  throw_late(m, fate, clock_seconds() - since);
}

ASHLAR_INLINE void node_group::throw_late(member const& m, char const* fate, double waited) const {
  collective_log const& log = collective_log::instance();
  std::string const call = log.begun() > log.done() ? "; the call is " + log.last_text() : "";
  throw error("ashlar: " + name(rank_) + " waited " + std::to_string(static_cast<int>(waited + 0.5)) +
              " s on its node for " + name(static_cast<int>(&m - members_.data())) + ", which " + fate +
              "; collectives begun here: " + std::to_string(round_) +
              ", there: " + std::to_string(m.slot->round() - m.round) + call);
}

}  // namespace ashlar::comm_detail
