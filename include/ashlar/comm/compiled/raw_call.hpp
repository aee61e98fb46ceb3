// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/raw_call.hpp.
#pragma once
#include "ashlar/comm/desync/raw_call.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE calls_as::calls_as(communicator const& c, char const* call_name, call_site const& w)
    : state_(c.state()), outer_(state_.caller), site_(w), in_errors_(site_) {
  if (outer_.name == nullptr) state_.caller = {call_name, w};
}

ASHLAR_INLINE raw_call::raw_call(communicator const& c, char const* call_name, call_site const& w, wait_by how)
    : raw_call(without_comparison{}, c, call_name, w, how) {
  if (call_ && how == wait_by::polling && !comm::tuned.exchanges(c.size()))
    call_->channel().compare(c, call_->call(), call_->call().fingerprint, "");
}

ASHLAR_INLINE raw_call::~raw_call() {
  state_.in_progress.polls = polled_;
  if (!begun_) return;
  --state_.raw_calls;
  if (call_) call_->leave();
  collective_log::instance().end();
}

ASHLAR_INLINE raw_call::raw_call(without_comparison, communicator const& c, char const* call_name, call_site const& w,
                                 wait_by how)
    : state_(c.state()), polled_(state_.in_progress.polls) {
  if (c.size() == 1) return;
  require_one_thread();
  auto* const monitor = dynamic_cast<desync_monitor*>(state_.monitor.get());
  bool const is_part = state_.raw_calls > 0 || (monitor != nullptr && monitor->in_call());
  if (!is_part && how == wait_by::polling && state_.lost_messages)
    throw error(
        "ashlar: a call of these ranks has failed here before, and they may wait in it; make another mesh, on all of them");
  if (how == wait_by::polling) state_.in_progress.polls = true;
  if (is_part) return;
  begun_ = true;
  ++state_.raw_calls;
  state_.note_call(0);
  calling_function const f = state_.caller.name == nullptr ? calling_function{call_name, w} : state_.caller;
  collective_event e;
  e.what = collective::exchange;
  e.name = f.name, e.file = f.site.file_name(), e.line = f.site.line();
  collective_log::instance().begin(e);
  if (monitor == nullptr || monitor->all_ranks().ranks() != c.size()) return;
  call_.emplace(*monitor, call_in_progress{{0, with_name(0, f.name), on_no_mesh, e, false, false},
                                           monitor->all_ranks(),
                                           1,
                                           monitor->rank(),
                                           deadline_of(how)});
  call_->enter();
}

ASHLAR_INLINE double raw_call::deadline_of(wait_by how) const {
  double const most = deadline();
  return most > 0 && how == wait_by::mpi && state_.node ? most + 1 : most;
}

}  // namespace ashlar::comm_detail
