// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/raw_call.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE calls_as::calls_as(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : state_(c.state().desync), outer_(state_.caller), site_(w), in_errors_(site_) {
  if (outer_.name == nullptr) state_.caller.name = call_name, state_.caller.site = w;
  state_.caller.way = with_name(fingerprint_of(collective::exchange, outer_.way, way), call_name);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : raw_call(c, call_name, w, with_name(way, call_name), false) {
  if (c.size() == 1) return;
  if (!is_part()) refuse_after_lost_messages();
  poll_in_mpi(true);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 comm::tuning const& how)
    : raw_call(c, call_name, w, way, true) {
  if (is_part()) return;
  refuse_after_lost_messages();
  poll_in_mpi(how.host_memory);
  if (!finds_by_itself(how.host_memory, how) && header_is_due(how.agree_every))
    agree(0, header_is::hidden);
  else
    carry_noted_error(how.host_memory);
}

// Pre: as for a call of ranks. True inside another call of the ranks, and for a rank alone, for which nothing begins.
inline bool is_part_of_a_call(communicator const& c) {
  desync_state const& s = c.state().desync;
  return c.size() == 1 || s.entered > 0 || (s.monitor && s.monitor->in_call());
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 bool in_memory)
    : call_of_ranks((c.size() == 1 ? void() : require_begin("comm"), c.state()),
                    fingerprint_of(collective::exchange, c.state().desync.caller.way, way), 0, is_part_of_a_call(c)),
      c_(c) {
  if (c.size() == 1) return;
  if (is_part()) {
    begin(nullptr);
    return;
  }
  calling_function const f = state().caller.name == nullptr ? calling_function{call_name, w} : state().caller;
  bool const sees = monitor() != nullptr && monitor()->all_ranks().ranks() == c.size();
  call_in_progress& now = described();
  now.call.fingerprint = fingerprint();
  now.call.number_on_mesh = on_no_mesh;
  collective_event& e = now.call.event;
  e.what = collective::exchange;
  e.name = f.name, e.file = f.site.file_name(), e.line = f.site.line();
  if (sees) {
    now.sizes = monitor()->all_ranks();
    now.axes = 1;
    now.rank = monitor()->rank();
    now.deadline = deadline_of(deadline(), in_memory);
  }
  begin(sees ? monitor() : nullptr);
}

ASHLAR_INLINE range_over_ranks raw_call::agree(std::uint64_t number, header_is what) const {
  if (c_.size() == 1) return {number, number};
  return compare(c_, state().mixed_calls, "", number, what);
}

}  // namespace ashlar::comm_detail
