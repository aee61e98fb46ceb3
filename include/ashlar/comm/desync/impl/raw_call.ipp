// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/raw_call.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE calls_as::calls_as(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : state_(c.state()), outer_(state_.caller), site_(w), in_errors_(site_) {
  if (outer_.name == nullptr) state_.caller.name = call_name, state_.caller.site = w;
  state_.caller.way = with_name(fingerprint_of(collective::exchange, outer_.way, way), call_name);
}

// True inside another call of the ranks, and for a rank alone.
inline bool is_part_of_a_call(communicator const& c) {
  communicator_state const& s = c.state();
  return c.size() == 1 || s.raw_calls > 0 || (s.monitor && s.monitor->in_call());
}

// Error: ashlar::error without MPI, or on another thread than before. Then nothing has begun.
inline void require_begin(communicator const& c) {
  if (c.size() == 1) return;
  require_mpi("comm");
  require_one_thread();
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : raw_call(c, call_name, w, with_name(way, call_name), 0., is_part_of_a_call(c)) {
  if (c.size() == 1) return;
  if (!is_part_) refuse_after_lost_messages();
  poll_in_mpi(true);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 comm::tuning const& how)
    : raw_call(c, call_name, w, way, c.state().node ? 1. : 0., is_part_of_a_call(c)) {
  if (is_part_) return;
  refuse_after_lost_messages();
  poll_in_mpi(how.host_memory);
  if (!finds_by_itself(c, how.host_memory, how) && header_is_due(how.agree_every))
    agree(0, header_is::hidden);
  else
    carry_noted_error(how.host_memory);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 double extra, bool is_part)
    : call_of_ranks((require_begin(c), c.state()), fingerprint_of(collective::exchange, c.state().caller.way, way), 0,
                    is_part),
      c_(c),
      is_part_(is_part) {
  if (c.size() == 1) return;
  call_of_ranks::enter();
  ++state().raw_calls;
  if (is_part_) return;
  calling_function const f = state().caller.name == nullptr ? calling_function{call_name, w} : state().caller;
  collective_event& e = call_.event;
  e.what = collective::exchange;
  e.name = f.name, e.file = f.site.file_name(), e.line = f.site.line();
  call_.fingerprint = fingerprint();
  call_.number_on_mesh = on_no_mesh;
  collective_log::instance().begin(e);
  desync_monitor* const monitor = state().monitor ? state().monitor->detection() : nullptr;
  if (monitor == nullptr || monitor->all_ranks().ranks() != c.size()) return;
  double const most = deadline();
  watched_.emplace(*monitor,
                   call_in_progress{call_, monitor->all_ranks(), 1, monitor->rank(), most > 0 ? most + extra : most});
  watched_->enter();
}

ASHLAR_INLINE raw_call::~raw_call() {
  if (c_.size() == 1) return;
  call_of_ranks::leave(std::uncaught_exceptions() > exceptions_);
  --state().raw_calls;
  if (is_part_) return;
  if (watched_) watched_->leave();
  collective_log::instance().end();
}

ASHLAR_INLINE range_over_ranks raw_call::agree(std::uint64_t number, header_is what) const {
  if (c_.size() == 1) return {number, number};
  return compare(c_, watched_ ? watched_->call() : call_, state().mixed_calls, "", number, what);
}

}  // namespace ashlar::comm_detail
