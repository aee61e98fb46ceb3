// SPDX-License-Identifier: BSL-1.0
// A call of the ranks of a communicator: it enters with a header, its messages have a tag of their own, and it leaves.
#pragma once
#include <cstdint>
#include <exception>

#include "ashlar/comm/communicator.hpp"

namespace ashlar::comm_detail {

/// A call while desync detection sees it: a rank that waits in it asks the other ranks about their calls.
class watched_call {
 public:
  watched_call() = default;
  watched_call(watched_call const&) = delete;
  watched_call& operator=(watched_call const&) = delete;
  ~watched_call();

  /// The call, to be described before it begins. (A copy of what was just written takes as long as a short wait.)
  call_in_progress& described() { return call_; }
  /// Begins the call and enters it. `monitor`: null if desync detection does not see the call.
  /// Pre: `described().call` is complete except for its number.
  void begin(desync_monitor* monitor);
  void enter();
  /// Returns true if an exception ends the call.
  bool leave();
  bool is_entered() const { return entered_; }
  recorded_call const& call() const { return call_.call; }
  /// Call it when the event is in the log. A rank that enters again receives nothing that has not been counted.
  void have_counted_bytes() { call_.call.event.bytes = 0; }

 private:
  desync_monitor* monitor_ = nullptr;
  call_in_progress call_;
  bool entered_ = false;
  int exceptions_ = 0;
  call_in_progress* outer_ = nullptr;  // a call may first have to complete another one
};

/// How the header of a call travels: as messages of desync detection, which tools that count a program's messages do not
/// see, or as a part of an agreement.
enum class header_is { hidden, an_agreement };

/// The least and the largest number of any rank.
struct range_over_ranks {
  std::uint64_t least, most;
};

/// A call among the ranks of a communicator, while this rank is in it. Base of collectives and raw calls. It is in the log
/// of collectives.
/// The ranks tell calls apart by a fingerprint, which is made of all on which the way of a call depends. Messages have a
/// tag of the fingerprint and the number of the call among these ranks, and rounds in shared memory compare it. So
/// different calls never receive messages of each other. Where MPI's own collectives serve, a header comes first.
class call_of_ranks {
 public:
  call_of_ranks(call_of_ranks const&) = delete;
  call_of_ranks& operator=(call_of_ranks const&) = delete;

 protected:
  /// `first_tag` tells meshes apart. `is_part`: this rank is in another call. Its parts have its tag and no number, since a
  /// rank may leave a part out. The log and desync detection see the other call alone.
  /// Pre: require_begin() has been called.
  call_of_ranks(communicator_state& ranks, std::uint64_t fingerprint, std::uint64_t first_tag, bool is_part = false);
  /// Leaves the call, unless this rank has left it.
  ~call_of_ranks() {
    if (watched_.is_entered()) leave();
  }

  /// Error: ashlar::error if MPI is finalised, or on another thread than before. Then nothing has begun.
  static void require_begin(char const* call) {
    require_mpi(call);
    require_one_thread();
  }
  call_in_progress& described() { return watched_.described(); }
  void begin(desync_monitor* monitor) {
    watched_.begin(monitor);
    go_in();
  }
  /// Pre: leave() was called last.
  void enter() {
    watched_.enter();
    go_in();
  }
  void leave();
  bool is_part() const { return is_part_; }
  bool is_entered() const { return watched_.is_entered(); }
  collective_event const& event() const { return watched_.call().event; }
  /// Lets a rank that waits in MPI's own collectives poll the others.
  void poll_in_mpi(bool polls);
  std::uint64_t fingerprint() const { return name_.fingerprint; }
  desync_state& state() const { return ranks_.desync; }
  desync_monitor* monitor() const { return ranks_.desync.monitor.get(); }
  /// The deadline of this call, later by 1 s if ranks wait in memory of the node: the node group has the deadline and knows
  /// better which rank is late.
  double deadline_of(double seconds, bool in_memory = true) const {
    return seconds > 0 && in_memory && ranks_.node ? seconds + 1 : seconds;
  }
  /// Tells the others of an error that this rank has noted, if they wait for this call with polls. In shared memory this
  /// rank enters as another call. By messages it tells them at once. Pre: no header follows.
  /// Error: that error, by messages.
  void carry_noted_error(bool in_memory);
  /// Error: ashlar::error if this rank has left messages of an earlier call here.
  void refuse_after_lost_messages() const;
  /// True if messages with tags, or memory of the node, serve all calls of these ranks. Then no header is needed.
  bool finds_by_itself(bool in_memory, comm::tuning const& how) const;
  /// True for one blocking call in `agree_every`, and for calls 1, 2, 4, ... before the first such.
  bool header_is_due(std::uint64_t agree_every);
  /// The header: compares this call between all ranks, and tells each the least and the largest `number` of any.
  /// `compared`: equal on all ranks that have called the same. `else_before` ends the error sentence: it says what else
  /// may differ.
  /// Collective: over `ranks`; waits with polls. Cost: an all-reduce of 64 bytes.
  /// Error: ashlar::error on every rank if they do not call the same, or the lowest rank's if ranks have noted errors; on
  ///   this rank if it has left messages of an earlier call here.
  range_over_ranks compare(communicator const& ranks, std::uint64_t compared, char const* else_before = "",
                           std::uint64_t number = 0, header_is what = header_is::hidden) const;

 private:
  template <class F>
  void to_all(F f) const {
    f(ranks_);
    if (ranks_.levels) f(ranks_.levels->intra_node.state()), f(ranks_.levels->inter_node.state());
  }
  void go_in();
  void tell(collective_name const& name) const;
  static int largest_tag();
  // Adds a number, to tell calls of one kind apart. Asynchronous collectives post messages whenever their rank polls. And
  // no other call may receive the messages of one that failed.
  static int tag_of(std::uint64_t fingerprint, std::uint64_t number);

  communicator_state& ranks_;
  bool is_part_;
  collective_name name_, outer_;  // outer_: the name before this call
  watched_call watched_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/call_of_ranks.ipp"
#endif
