// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/call_of_ranks.hpp.
#include <bit>

#include "ashlar/comm/node/memory.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE watched_call::~watched_call() {
  if (entered_) leave();
  if (monitor_) monitor_->history().complete(call_.call.number);
}

ASHLAR_INLINE void watched_call::begin(desync_monitor* monitor) {
  monitor_ = monitor;
  if (monitor_) call_.call.number = monitor_->history().begin(call_.call);
  enter();
}

ASHLAR_INLINE void watched_call::enter() {
  entered_ = true;
  exceptions_ = std::uncaught_exceptions();
  call_.begin = call_.asks_next = call_.left_at = 0;
  if (monitor_) outer_ = monitor_->enter(&call_);
}

ASHLAR_INLINE bool watched_call::leave() {
  entered_ = false;
  bool const fails = std::uncaught_exceptions() > exceptions_;
  if (monitor_ == nullptr) return fails;
  monitor_->enter(outer_);
  if (fails) monitor_->history().give_up(call_.call.number);
  return fails;
}

ASHLAR_INLINE call_of_ranks::call_of_ranks(communicator_state& ranks, std::uint64_t fingerprint,
                                           std::uint64_t first_tag, bool is_part)
    : ranks_(ranks), is_part_(is_part), name_(ranks.desync.in_progress) {
  if (is_part) return;
  name_ = {tag_of(fingerprint, first_tag + ++state().begun), fingerprint};
  state().note_call(fingerprint);
}

ASHLAR_INLINE void call_of_ranks::go_in() {
  ++state().entered;
  outer_ = state().in_progress;
  tell(name_);
  if (is_part_) return;
  collective_log::instance().begin(event());
  watched_.have_counted_bytes();
}

ASHLAR_INLINE void call_of_ranks::leave() {
  if (watched_.leave()) {
    // An error in a named call does not lose the count: all ranks may have the same error, for example a wrong input. Nor
    // does one while a mesh is made, which is no call of these ranks.
    if (!is_part_ && event().name == nullptr) monitor()->history().lose_count();
    *ranks_.keeps_messages = true;
    to_all([](communicator_state& s) {
      if (s.lost_messages()) node_memory::instance().leave_to_others(s.release_scratch());
    });
  }
  tell(outer_);
  --state().entered;
  if (!is_part_) collective_log::instance().end();
}

ASHLAR_INLINE void call_of_ranks::poll_in_mpi(bool polls) {
  name_.polls = polls;
  tell(name_);
}

ASHLAR_INLINE void call_of_ranks::carry_noted_error(bool in_memory) {
  // In device memory the others may wait inside MPI. Without detection they would not hear of it. So a later call tells them.
  if (noted_error.empty() || !in_memory || monitor() == nullptr || !monitor()->in_call()) return;
  if (ranks_.node == nullptr) monitor()->give_up_for_noted_error();
  name_.fingerprint = with_noted_error(name_.fingerprint, ranks_.rank);
  tell(name_);
}

ASHLAR_INLINE void call_of_ranks::refuse_after_lost_messages() const {
  bool lost = false;
  to_all([&](communicator_state const& s) { lost = lost || s.lost_messages(); });
  if (lost)
    throw error(
        "ashlar: a call of these ranks has failed here before, and they may wait in it; make another mesh, on all of them");
}

ASHLAR_INLINE bool call_of_ranks::finds_by_itself(bool in_memory, comm::tuning const& how) const {
  if (ranks_.node && in_memory) return true;
  communicator_state const& exchanging =
      ranks_.levels && ranks_.levels->even && in_memory ? ranks_.levels->inter_node.state() : ranks_;
  return how.exchanges(exchanging.size) && !exchanging.desync.used_collectives && !state().used_collectives;
}

ASHLAR_INLINE bool call_of_ranks::header_is_due(std::uint64_t agree_every) {
  auto const n = ++state().served;
  return agree_every != 0 && (n % agree_every == 0 || (n < agree_every && std::has_single_bit(n)));
}

ASHLAR_INLINE range_over_ranks call_of_ranks::compare(communicator const& ranks, std::uint64_t compared,
                                                      char const* else_before, std::uint64_t number,
                                                      header_is what) const {
  refuse_after_lost_messages();
  if (!noted_error.empty()) compared = with_noted_error(compared, ranks.rank());
  struct call {
    std::uint64_t compared, fingerprint, number_on_mesh;
    int rank;
    sent_text said;
    tensor_list tensors;
  };
  desync_monitor* const detection = monitor();
  // Other ranks of the mesh have the same calls as these, but a comparison of some ranks does not settle the lines of all.
  bool const settles_lines = detection != nullptr && detection->all_ranks().ranks() == ranks.size();
  lines_of_calls const lines = settles_lines ? detection->history().lines() : lines_of_calls();
  constexpr int words = 8;
  struct buffers {
    std::uint64_t mine[words]{}, least[words]{};
    call described{};
    std::vector<call> all{};
  };
  // If an error ends this rank's wait, MPI may still write to the buffers. So they are not freed then.
  auto* const b = new buffers{.mine = {compared, ~compared, number, ~number, lines.in_order, ~lines.in_order,
                                       lines.in_any_order, ~lines.in_any_order}};
  MPI_Request request = MPI_REQUEST_NULL;
  auto const reduce = what == header_is::hidden ? &PMPI_Iallreduce : &MPI_Iallreduce;
  if (what == header_is::an_agreement)
    ++ranks.counters().mpi_collectives, ranks.counters().agreement.add(sizeof b->mine);
  check_mpi(reduce(b->mine, b->least, words, MPI_UINT64_T, MPI_MIN, ranks.get(), &request), "MPI_Iallreduce");
  ranks.wait(request);
  auto const differs = [&](int word) { return b->least[word] != ~b->least[word + 1]; };
  std::unique_ptr<buffers> const done(differs(0) ? nullptr : b);
  if (done) {
    if (differs(4) && !differs(6)) detection->throw_exchanged_lines(ranks.get());
    if (settles_lines) detection->history().have_compared_lines();
    return {b->least[2], ~b->least[3]};
  }
  recorded_call const& now = watched_.call();
  int const rank = detection ? detection->rank() : ranks.rank();
  b->described = {compared, now.fingerprint, now.number_on_mesh, rank, {}, {}};
  if (detection) {
    detection->history().lose_count();
    b->described.tensors = detection->tensors().list(now.tensors);
  }
  b->described.said.set(noted_error.empty() ? now.text() : noted_error, !noted_error.empty());
  b->all.resize(static_cast<std::size_t>(ranks.size()));
  check_mpi(PMPI_Iallgather(&b->described, sizeof(call), MPI_BYTE, b->all.data(), sizeof(call), MPI_BYTE, ranks.get(),
                            &request),
            "MPI_Iallgather");
  ranks.wait(request);
  std::unique_ptr<buffers> const gathered(b);
  for (call const& c : b->all)
    if (c.said.is_error) throw_noted_error(detection, c.said.text);
  std::size_t other = 0;
  while (b->all[other].compared == b->all[0].compared) ++other;
  call const &one = b->all[0], &two = b->all[other];
  throw error(different_calls({one.number_on_mesh, one.said.text, "rank " + std::to_string(one.rank), one.tensors},
                              {two.number_on_mesh, two.said.text, "rank " + std::to_string(two.rank), two.tensors},
                              one.fingerprint == two.fingerprint ? " (or a call before it differs)" : else_before));
}

ASHLAR_INLINE void call_of_ranks::tell(collective_name const& name) const {
  to_all([&](communicator_state& s) { s.desync.in_progress = name; });
}

ASHLAR_INLINE int call_of_ranks::largest_tag() {
  static int const tag = [] {
    int *bound = nullptr, found = 0;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
    return (found ? *bound : 32767) - 1;
  }();
  return tag;
}

ASHLAR_INLINE int call_of_ranks::tag_of(std::uint64_t fingerprint, std::uint64_t number) {
  return 1 + static_cast<int>((fingerprint + number) % static_cast<std::uint64_t>(largest_tag()));
}

}  // namespace ashlar::comm_detail
