// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/collective_in_progress.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void mesh_calls::retire_at_the_end(communicator const& part, unsigned mask, int first) const {
  auto const own = [&](communicator const& c, unsigned number) {
    if (c.get() == MPI_COMM_NULL) return;
    c.state().retires_to = &channel_->retired();
    c.state().place = {mesh_, number, first};
    channel_->retired().expect(mesh_);
  };
  own(part, 3 * mask);
  if (auto const& levels = part.state().levels)
    own(levels->intra_node, 3 * mask + 1), own(levels->inter_node, 3 * mask + 2);
}

ASHLAR_INLINE collective_in_progress::collective_in_progress(mesh_calls const& calls, mesh_shape const& sizes, int rank,
                                                             communicator const& ranks, std::uint64_t fingerprint,
                                                             collective_event const& e)
    : call_of_ranks((require_begin(name_of(e)), ranks.state()), calls.with_tensors(fingerprint), calls.first_tag_),
      calls_(calls) {
  call_in_progress& now = described();
  now.call.fingerprint = fingerprint_of(e.what, this->fingerprint(), calls.mesh_);
  now.call.number_on_mesh = ++calls.begun_;
  now.call.event = e;
  now.call.tensors = {calls.mesh_, calls.tensors_, calls.mixed_extents_};
  now.sizes = sizes;
  now.axes = e.axes;
  now.rank = rank;
  now.deadline = deadline_of(calls.deadline_);
  begin(calls.channel_.get());
}

ASHLAR_INLINE void collective_in_progress::agree(communicator const& ranks, bool in_memory, collective_kind kind) {
  refuse_after_lost_messages();
  in_memory = in_memory && comm::tuned.host_memory;
  if (finds_by_itself(in_memory, comm::tuned)) return carry_noted_error(in_memory);
  if (comm::tuned.agree_every == 0) return;
  calls_.mixed_fingerprints_ = fingerprint_of(collective::exchange, calls_.mixed_fingerprints_, fingerprint());
  // A rank that waits in device memory cannot poll: MPI's nonblocking collectives may not take it.
  poll_in_mpi(in_memory);
  if (kind == collective_kind::blocks && header_is_due(comm::tuned.agree_every)) return agree_now(ranks);
  carry_noted_error(in_memory);
}

ASHLAR_INLINE void collective_in_progress::agree_now(communicator const& ranks) const {
  std::uint64_t const others = std::exchange(calls_.mixed_fingerprints_, 0);
  compare(ranks, fingerprint_of(collective::exchange, others, fingerprint()),
          others != 0 ? " (or a collective before it differs)" : "");
}

}  // namespace ashlar::comm_detail
