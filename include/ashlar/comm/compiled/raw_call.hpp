// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/raw_call.hpp.
#pragma once
#include "ashlar/comm/desync/raw_call.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE calls_as::calls_as(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : state_(c.state()), outer_(state_.caller), site_(w), in_errors_(site_) {
  if (outer_.name == nullptr) state_.caller.name = call_name, state_.caller.site = w;
  state_.caller.way = with_name(fingerprint_of(collective::exchange, outer_.way, way), call_name);
}

// The arguments of a raw call, the functions of the library around it, and the call that it is a part of.
inline std::uint64_t fingerprint_within(communicator_state const& s, std::uint64_t way) {
  return fingerprint_of(collective::exchange, s.caller.way, way, s.in_progress.fingerprint);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way)
    : raw_call(c, call_name, w, with_name(way, call_name), 0.) {
  if (c.size() == 1) return;
  if (!is_part_) refuse_after_lost_messages();
  poll_in_mpi(true);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 comm::tuning const& how)
    : raw_call(c, call_name, w, way, c.state().node ? 1. : 0.) {
  if (c.size() == 1 || is_part_) return;
  refuse_after_lost_messages();
  poll_in_mpi(how.host_memory);
  if (!finds_by_itself(c, how.host_memory, how) && header_is_due(how.agree_every)) agree(0, header_is::hidden);
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
                                 double extra)
    : call_of_ranks((c.size() == 1 ? void() : require_mpi("comm"), c.state()), fingerprint_within(c.state(), way), 0),
      c_(c) {
  if (c.size() == 1) return;
  require_one_thread();
  desync_monitor* const monitor = state().monitor ? state().monitor->detection() : nullptr;
  is_part_ = state().raw_calls > 0 || (monitor != nullptr && monitor->in_call());
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
