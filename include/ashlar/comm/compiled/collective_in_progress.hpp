// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/collective_in_progress.hpp.
#pragma once
#include "ashlar/comm/desync/collective_in_progress.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE watched_call::watched_call(desync_monitor& channel, call_in_progress call)
    : channel_(channel), call_(std::move(call)) {
  recorded_call& c = call_.call;
  c.number = channel_.history().begin(c);
}

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
    : ranks_((require_one_thread(), ranks.state())),
      name_(named(calls.with_tensors(fingerprint), calls.first_tag_ + ++ranks_.begun)),
      call_(*calls.channel_, {{0,
                               fingerprint_of(e.what, name_.fingerprint, calls.mesh_),
                               ++calls.begun_,
                               e,
                               false,
                               false,
                               {calls.mesh_, calls.tensors_, calls.mixed_extents_}},
                              sizes,
                              e.axes,
                              rank,
                              deadline_of(calls, ranks_)}),
      calls_(calls) {
  ranks_.note_call(name_.fingerprint);
  enter();
}

ASHLAR_INLINE collective_in_progress::~collective_in_progress() {
  if (entered_) leave();
}

ASHLAR_INLINE void collective_in_progress::agree(communicator const& ranks, bool in_memory, collective_kind kind) {
  refuse_after_lost_messages();
  in_memory = in_memory && comm::tuned.host_memory;
  communicator const& exchanging =
      ranks_.levels && ranks_.levels->even && in_memory ? ranks_.levels->inter_node : ranks;
  bool const only_exchanges =
      comm::tuned.exchanges(exchanging.size()) && !exchanging.state().used_collectives && !ranks_.used_collectives;
  if ((ranks_.node && in_memory) || only_exchanges || comm::tuned.agree_every == 0) return;
  calls_.mixed_fingerprints_ = fingerprint_of(collective::exchange, calls_.mixed_fingerprints_, name_.fingerprint);
  // A rank that waits in device memory cannot poll: MPI's nonblocking collectives may not take it.
  name_.polls = in_memory && !comm::tuned.exchanges(exchanging.size());
  tell(name_);
  if (kind == collective_kind::goes_on) return;
  auto const n = ++ranks_.collectives, every = static_cast<std::uint64_t>(comm::tuned.agree_every);
  if (n % every == 0 || (n < every && std::has_single_bit(n))) compare(ranks);
}

ASHLAR_INLINE void collective_in_progress::agree_now(communicator const& ranks) const {
  refuse_after_lost_messages();
  compare(ranks);
}

ASHLAR_INLINE void collective_in_progress::compare(communicator const& ranks) const {
  std::uint64_t const others = std::exchange(calls_.mixed_fingerprints_, 0);
  call_.channel().compare(ranks, call_.call(), fingerprint_of(collective::exchange, others, name_.fingerprint),
                          others != 0 ? " (or a collective before it differs)" : "");
}

ASHLAR_INLINE void collective_in_progress::refuse_after_lost_messages() const {
  bool lost = false;
  to_all([&](communicator_state const& s) { lost = lost || s.lost_messages; });
  if (lost)
    throw error(
        "ashlar: a collective among these ranks has failed here before, and they may wait in it; make another mesh, on all of them");
}

ASHLAR_INLINE void collective_in_progress::tell(collective_name const& name) const {
  to_all([&](communicator_state& s) { s.in_progress = name; });
}

ASHLAR_INLINE double collective_in_progress::deadline_of(mesh_calls const& calls, communicator_state const& ranks) {
  return calls.deadline_ > 0 && ranks.node ? calls.deadline_ + 1 : calls.deadline_;
}

ASHLAR_INLINE int collective_in_progress::largest_tag() {
  static int const tag = [] {
    int *bound = nullptr, found = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
    return (found ? *bound : 32767) - 1;
  }();
  return tag;
}

ASHLAR_INLINE int collective_in_progress::tag_of(std::uint64_t fingerprint, std::uint64_t number) {
  return 1 + static_cast<int>((fingerprint + number) % static_cast<std::uint64_t>(largest_tag()));
}

}  // namespace ashlar::comm_detail
