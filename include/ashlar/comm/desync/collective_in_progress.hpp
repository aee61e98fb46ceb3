// SPDX-License-Identifier: BSL-1.0
// A collective from begin to end, as desync detection sees it.
#pragma once
#include "ashlar/comm/desync/call_of_ranks.hpp"

namespace ashlar::comm_detail {

/// The calls of one mesh, for desync detection. A mesh of one rank has no monitor.
class mesh_calls {
 public:
  mesh_calls() = default;
  /// Pre: all processes of `program`, more than one, make a mesh. Collective: over `program`, if this is its first
  ///   mesh.
  explicit mesh_calls(MPI_Comm program) : channel_(desync_monitor::of(program)), deadline_(deadline()) {}

  explicit operator bool() const { return channel_ != nullptr; }
  /// The monitor that communicators of the mesh call while they wait.
  std::shared_ptr<desync_monitor> const& monitor() const { return channel_; }
  /// Runs f as a call that makes a mesh. In f the ranks of a mesh meet for the first time.
  /// Error: ashlar::error on every rank if some ranks do not make a mesh.
  template <class F>
  auto while_ranks_meet(collective_event const& e, F f) const {
    watched_call now;
    call_in_progress& c = now.described();
    c.call.fingerprint = fingerprint_of(e.what, 0);
    c.call.event = e;
    c.sizes = channel_->all_ranks();
    c.axes = 1;
    c.rank = channel_->rank();
    c.deadline = deadline_;
    now.begin(channel_.get());
    return f();
  }
  /// Numbers the mesh. Collective: over its ranks; blocks.
  void begin(communicator const& ranks) {
    mesh_ = channel_->add_mesh(ranks.get());
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
  /// Error: as require_begin.
  collective_in_progress(mesh_calls const& calls, mesh_shape const& sizes, int rank, communicator const& ranks,
                         std::uint64_t fingerprint, collective_event const& e);
  using call_of_ranks::is_entered, call_of_ranks::event, call_of_ranks::leave;
  /// Error: ashlar::error if MPI is finalised.
  void require_usable() const { require_mpi(name_of(event())); }
  /// Pre: leave() was called last. Error: ashlar::error if MPI is finalised, or on another thread than before.
  void enter() {
    require_begin(name_of(event()));
    call_of_ranks::enter();
  }
  /// Compares the calls of the ranks now and then, if MPI's own collectives serve: ranks that call different ones would
  /// stay in them for ever. One collective in `tuning::agree_every`, and collectives 1, 2, 4, ... before the first such,
  /// compare all calls on the mesh, before they run.
  /// `in_memory`: true if the tensors are in memory that ranks of a node read.
  /// Collective: over `ranks`; blocks if this collective does.
  /// Cost: the header.
  /// Error: ashlar::error on every rank if they have not called the same since the last comparison; on this rank if it
  ///   has left messages of an earlier collective.
  void agree(communicator const& ranks, bool in_memory, collective_kind kind);
  /// Compares this call between all ranks. All ranks of the mesh make the same calls and compare at the same ones,
  /// whichever of them a comparison is over.
  /// Collective: over `ranks`; blocks.
  /// Cost: the header.
  /// Error: ashlar::error on every rank if they do not call the same; on this rank if it has left messages of an
  ///   earlier collective.
  void agree_now(communicator const& ranks) const;

 private:
  static char const* name_of(collective_event const& e) { return e.name ? e.name : to_text(e.what); }

  mesh_calls const& calls_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/collective_in_progress.ipp"
#endif
