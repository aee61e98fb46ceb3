// Calls of all ranks of a communicator that are no collectives of a mesh: agreements, and collectives on raw memory.
#pragma once
#include <optional>
#include <utility>

#include "ashlar/comm/desync/collective_in_progress.hpp"

namespace ashlar::comm_detail {

/// Names the function of the library whose raw calls follow, for errors and for the watchdog's report. The outermost
/// name counts.
class calls_as {
 public:
  calls_as(communicator const& c, char const* name, call_site const& w = {})
      : state_(c.state()), outer_(state_.caller) {
    if (outer_.name == nullptr) state_.caller = {name, w};
  }
  calls_as(calls_as const&) = delete;
  calls_as& operator=(calls_as const&) = delete;
  ~calls_as() { state_.caller = outer_; }

 private:
  communicator_state& state_;
  calling_function outer_;
};

/// `polling`: a rank that waits in a collective of MPI's own polls the other ranks, whatever that costs.
enum class wait_by { mpi, polling };

/// A raw call from begin to end. The watchdog sees it. If all ranks of a program's communicator take part, desync
/// detection sees it too. Inside another call of the ranks it is a part of that call.
/// Cost: of an agreement of ranks that MPI's own collectives serve, an all-reduce of 16 bytes: they compare the call first,
///   since MPI may end the run if an agreement meets another collective.
/// Error: of an agreement, ashlar::error if this rank has left messages of an earlier call here; on every rank if such
///   ranks do not call the same.
class raw_call {
 public:
  raw_call(communicator const& c, char const* name, call_site const& w = {}, wait_by how = wait_by::mpi)
      : raw_call(without_comparison{}, c, name, w, how) {
    if (call_ && how == wait_by::polling && !comm::tuned.exchanges(c.size()))
      call_->channel().compare(c, call_->call(), call_->call().fingerprint, "");
  }
  raw_call(raw_call const&) = delete;
  raw_call& operator=(raw_call const&) = delete;
  ~raw_call() {
    state_.in_progress.polls = polled_;
    if (!begun_) return;
    --state_.raw_calls;
    if (call_) call_->leave();
    comm::collective_log::instance().end();
  }

 private:
  struct without_comparison {};
  raw_call(without_comparison, communicator const& c, char const* name, call_site const& w, wait_by how)
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
    calling_function const f = state_.caller.name == nullptr ? calling_function{name, w} : state_.caller;
    comm::collective_event e;
    e.what = collective::exchange;
    e.name = f.name, e.file = f.site.file_name(), e.line = f.site.line();
    comm::collective_log::instance().begin(e);
    if (monitor == nullptr || monitor->all_ranks().ranks() != c.size()) return;
    call_.emplace(*monitor, call_in_progress{{0, with_name(0, f.name), on_no_mesh, e, false, false},
                                             monitor->all_ranks(),
                                             1,
                                             monitor->rank(),
                                             deadline_of(how)});
    call_->enter();
  }
  // On one node, the node group has the deadline and knows better which rank is late. So this deadline is 1 s later.
  double deadline_of(wait_by how) const {
    double const most = comm::deadline();
    return most > 0 && how == wait_by::mpi && state_.node ? most + 1 : most;
  }

  communicator_state& state_;
  bool polled_, begun_ = false;
  std::optional<watched_call> call_;
};

}  // namespace ashlar::comm_detail
