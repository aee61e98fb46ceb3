// SPDX-License-Identifier: BSL-1.0
// A collective from begin to end, as desync detection sees it.
#pragma once
#include <exception>

#include "ashlar/comm/desync/call_of_ranks.hpp"
#include "ashlar/comm/desync/monitor.hpp"
#include "ashlar/comm/desync/one_thread.hpp"
#include "ashlar/comm/node/memory.hpp"

namespace ashlar::comm_detail {

/// A call that has begun. While a rank waits in it, the desync monitor asks the other ranks about their calls.
class watched_call {
 public:
  /// Pre: `call.call` is complete except for its number.
  watched_call(desync_monitor& channel, call_in_progress call);
  watched_call(watched_call const&) = delete;
  watched_call& operator=(watched_call const&) = delete;
  ~watched_call() { channel_.history().complete(call_.call.number); }

  void enter() {
    exceptions_ = std::uncaught_exceptions();
    call_.begin = call_.asks_next = call_.left_at = 0;
    outer_ = channel_.enter(&call_);
  }
  /// Post: true if an exception ends the call.
  bool leave() {
    channel_.enter(outer_);
    bool const fails = std::uncaught_exceptions() > exceptions_;
    if (fails) channel_.history().give_up(call_.call.number);
    return fails;
  }
  recorded_call const& call() const { return call_.call; }
  desync_monitor& channel() const { return channel_; }

 private:
  desync_monitor& channel_;
  call_in_progress call_;
  int exceptions_ = 0;
  call_in_progress* outer_ = nullptr;  // a call may first have to complete another one
};

/// The calls of one mesh, for desync detection. A mesh of one rank has no monitor.
class mesh_calls {
 public:
  mesh_calls() = default;
  /// Pre: all processes of `program`, more than one, make a mesh. Collective: over `program`, if this is its first
  ///   mesh.
  explicit mesh_calls(MPI_Comm program) : channel_(desync_monitor::of(program)), deadline_(deadline()) {}

  explicit operator bool() const { return channel_ != nullptr; }
  /// The monitor that communicators of the mesh call while they wait.
  std::shared_ptr<waiting_monitor> monitor() const { return channel_; }
  /// Runs f as a call that makes a mesh. In f the ranks of a mesh meet for the first time.
  /// Error: ashlar::error on every rank if some ranks do not make a mesh.
  template <class F>
  auto while_ranks_meet(collective_event const& e, F f) const {
    struct here {
      watched_call call;
      here(mesh_calls const& m, collective_event const& event)
          : call(*m.channel_, {{0, fingerprint_of(event.what, 0), 0, event, false, false},
                               m.channel_->all_ranks(),
                               1,
                               m.channel_->rank(),
                               m.deadline_}) {
        call.enter();
      }
      ~here() { call.leave(); }
    } const met(*this, e);
    return f();
  }
  /// Numbers the mesh. Collective: over its ranks; blocks.
  void begin(communicator const& ranks) {
    mesh_ = channel_->add_mesh(ranks);
    first_tag_ = fingerprint_of(collective::exchange, channel_->id(), mesh_);
  }
  /// Hands a communicator of the mesh, and its levels, to the channel at their end: all ranks free them together.
  /// `first`: the first rank of the mesh in it. Pre: begin() was called, and the mesh has more than one rank.
  void retire_at_the_end(communicator const& part, unsigned mask, int first) const;
  /// Notes a tensor that the program makes. The next calls of the mesh compare its extents between the ranks, in
  /// whatever order the ranks have made their tensors. `a`: also an argument of a call on a tensor of these extents.
  void note_tensor(shape const& extents, call_site const& w, plan_detail::common_argument const& a = {}) const {
    if (channel_ && is_thread_of_collectives())
      mixed_extents_ += channel_->tensors().add(mesh_, ++tensors_, extents, w, a);
  }

 private:
  friend class collective_in_progress;
  std::shared_ptr<desync_monitor> channel_;
  double deadline_ = 0;
  std::uint64_t mesh_ = 0;
  // Tags differ between meshes. If a rank destroys a mesh that others still send to, MPI may give the number of its
  // communicator to the next one, and their messages, too.
  std::uint64_t first_tag_ = 0;
  // The number of calls begun. The fingerprint of those that MPI's own collectives have served since the last comparison.
  mutable std::uint64_t begun_ = 0, mixed_fingerprints_ = 0;
  // The number of tensors that the program has made, and the sum of the fingerprints of their extents. The sum is never
  // set back: a call may be of some axes alone, and another one finds the difference.
  mutable std::uint64_t tensors_ = 0, mixed_extents_ = 0;

  std::uint64_t with_tensors(std::uint64_t fingerprint) const {
    return tensors_ == 0 ? fingerprint
                         : fingerprint_of(static_cast<collective>(fingerprint >> 56), fingerprint, mixed_extents_);
  }
};

/// `blocks`: a rank stays in the collective to its end. `goes_on`: it may leave the collective and enter it again.
enum class collective_kind { blocks, goes_on };

/// A collective, or another call of all ranks of a mesh, from begin to end. A waiting rank asks what the others call. A
/// rank may leave a collective that has begun and enter it again.
class collective_in_progress : call_of_ranks {
 public:
  /// Pre: `ranks` are the ranks that differ from `rank` along e.axes only; there are at least 2.
  collective_in_progress(mesh_calls const& calls, mesh_shape const& sizes, int rank, communicator const& ranks,
                         std::uint64_t fingerprint, collective_event const& e);
  ~collective_in_progress();
  /// Pre: leave() was called last. Error: ashlar::error on another thread than before.
  void enter();
  void leave();
  /// Compares the calls of the ranks now and then, if MPI's own collectives serve: ranks that call different ones would
  /// stay in them for ever. One collective in `tuning::agree_every`, and collectives 1, 2, 4, ... before the first such,
  /// compare all calls on the mesh, before they run.
  /// `in_memory`: true if the tensors are in memory that ranks of a node read.
  /// Collective: over `ranks`; blocks if this collective does.
  /// Cost: the header.
  /// Error: ashlar::error on every rank if they have not called the same since the last comparison; on this rank if it
  ///   has left messages of an earlier collective.
  void agree(communicator const& ranks, bool in_memory, collective_kind kind);
  /// Compares this call between all ranks.
  /// Collective: over `ranks`; blocks.
  /// Cost: the header.
  /// Error: ashlar::error on every rank if they do not call the same; on this rank if it has left messages of an
  ///   earlier collective.
  void agree_now(communicator const& ranks) const;

 private:
  // All ranks of the mesh make the same calls and compare at the same ones, whichever of them a comparison is over.
  void compare_all(communicator const& ranks) const;
  // On one node, the node group has the deadline and knows better which rank is late. So this deadline is 1 s later.
  static double deadline_of(mesh_calls const& calls, communicator_state const& ranks);

  watched_call call_;
  mesh_calls const& calls_;
  bool entered_ = false;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/collective_in_progress.ipp"
#endif
