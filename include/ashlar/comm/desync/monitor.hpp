// SPDX-License-Identifier: BSL-1.0
// Desync detection: ranks that call different collectives, or skip one. A rank that waits for long asks the others.
#pragma once
#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/desync/call_history.hpp"
#include "ashlar/comm/desync/call_report.hpp"
#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/node/group.hpp"
#include "ashlar/comm/retired_communicators.hpp"
#include "ashlar/comm/collectives/tuning.hpp"
#include "ashlar/mesh/mesh.hpp"

namespace ashlar::comm_detail {

/// The call that a rank is in, and the ranks that take part.
struct call_in_progress {
  recorded_call call;
  mesh_shape sizes{};
  axis_mask axes = 0;
  int rank = 0;
  double deadline = 0;              // seconds; 0: none
  double begin = 0, asks_next = 0;  // seconds of the clock; begin is the first poll
  double left_at = 0;               // the time at which this rank learned that rank left_by has gone on without it
  int left_by = -1;

  int ranks() const { return sizes.ranks(axes); }
  /// The rank at a distance from this one, if the ranks form a ring.
  int at_distance(int d) const {
    return sizes.with_position(rank, axes, (sizes.position(rank, axes) + d + ranks()) % ranks());
  }
};

/// Desync detection for all meshes made from one communicator of the program. Ranks ask each other over a duplicate of
/// it. A rank that has waited in a call for `tuning::patience` asks the others for their calls in its place, and asks
/// again later. Ranks answer while they wait themselves, and when their program ends. A rank that computes does not
/// answer; the others wait for it.
/// Its messages are sent by PMPI functions, so tools that count a program's messages do not count them.
class desync_monitor {
 public:
  /// Returns the monitor of `program`. Makes it at the first call. Collective: over `program`, at the first call.
  static std::shared_ptr<desync_monitor> of(MPI_Comm program);

  desync_monitor(desync_monitor const&) = delete;
  desync_monitor& operator=(desync_monitor const&) = delete;
  ~desync_monitor();

  int rank() const { return rank_; }
  /// A number that no other channel of a rank here has had.
  std::uint64_t id() const { return id_; }
  /// All ranks of the channel, as a mesh of one axis.
  mesh_shape all_ranks() const { return {1, {ranks_}}; }
  call_history& history() { return history_; }
  made_tensors& tensors() { return tensors_; }
  retired_communicators& retired() { return retired_; }

  /// Returns a number for a new mesh. From here on all ranks number meshes and calls alike, whatever went wrong before.
  /// Frees the communicators of meshes that have ended on all ranks. Cost: an all-reduce of 16 bytes, and one of 24 bytes
  /// for each mesh of the channel that has not been released.
  /// Collective: over `ranks`, which are all ranks of the channel; blocks.
  std::uint64_t add_mesh(MPI_Comm ranks);

  /// Throws the error of ranks that have made the same calls in lines of another order. Pre: they have.
  /// Collective: over `ranks`, which are all ranks of the channel.
  [[noreturn]] void throw_exchanged_lines(MPI_Comm ranks);

  /// Sets the call that this rank is in, or null for none. Returns the call before.
  call_in_progress* enter(call_in_progress* c) { return std::exchange(current_, c); }
  /// True if this rank is in a call that the monitor knows. Such a call has its own deadline.
  bool in_call() const { return current_ != nullptr; }
  /// That call. Pre: in_call().
  described_call call() const;
  /// Tells the other ranks of that call which call it is: this rank has learned that the calls differ.
  /// `know`: the number of ranks that have learned it, too, this one among them. Pre: in_call().
  void tell_others(int know);
  /// Remembers the error for which this rank gives up, for ranks that ask it later.
  void remember_error(std::string const& text);
  /// Tells the other ranks of the call in progress of the error that this rank has noted, and throws it. Pre: in_call().
  [[noreturn]] void give_up_for_noted_error();
  /// Checks on the other ranks while this rank waits, if it is in a call.
  /// Error: as the next function.
  void poll_others() {
    if (current_ != nullptr) poll_others(*current_);
  }
  /// Call it now and then while a rank waits in a call.
  /// Error: ashlar::error if another rank calls something else in its place, has given it up, or has ended without it;
  ///   if the process of a rank of this node has ended; if the deadline is over.
  void poll_others(call_in_progress& c);

 private:
  explicit desync_monitor(MPI_Comm program);

  // The last mesh on the channel is gone on this rank, and the program's communicator is freed. Other ranks may still wait
  // in a call on theirs. So the monitor goes on answering until all ranks have closed it.
  void close();
  // Frees the monitors that all their ranks have closed.
  static void free_closed();
  // Begins the last collective on the channel, at the end of its meshes or of the program. It ends when all ranks have
  // begun it, and compares what they have called since their last mesh. MPI's own collectives are compared only now and
  // then, so this finds a difference after the last comparison. Returns false if MPI cannot begin it.
  bool begin_end();
  // Begins a second collective when that one is complete: the ranks add up the balances of their meshes, and the
  // reports that they sent to each rank. Returns true when it is complete, too, and all reports to this rank have
  // arrived. From the second collective on, this rank sends nothing.
  bool has_ended();
  // Frees the communicators of meshes, as far as the ranks agree. Pre: has_ended().
  void free_retired();
  // True if the calls differ, or the order of their lines, when the first of these collectives is complete. Rank 0 ends the run.
  // Ranks that have had an error are not compared.
  bool calls_differ() const;

  struct sent_report {
    call_report r;
    MPI_Request request;
  };

  call_report about(call_report::kind what, std::uint64_t number, bool ended = false) const;
  void send(int to, call_report const& r);

  // Answers the reports that have arrived. Returns a sentence if something is wrong with the call in progress or one
  // before it. If the program ends, any call that others ask about counts.
  std::string serve(call_in_progress* now, bool ended);

  // Tells the ranks that would ask this rank that it gives the call up. Among few ranks everyone asks the culprit. Among many,
  // a rank may ask only ranks that have given up, too, and that wait in a call of the program's own by now.
  void tell_of_error(call_in_progress const& c);

  // Rank q, which sent r, has not begun the call that this rank is in. Looks for an earlier question of q about a call
  // on another mesh that this rank has not begun. If there is one, their calls are in different orders, and each waits
  // for the other. Then tells all ranks of both channels.
  std::string crosses(recorded_call const& now, call_report const& r, int q);
  void tell_all(std::uint64_t number, std::uint64_t fingerprint, int other, std::string_view text);
  static std::string crossed(int rank, std::string_view text, int other, std::string_view other_text);
  static int own_process();
  // A clock: the number of times that this process has asked others.
  static std::uint64_t& asked();
  // The call in which this process waits.
  struct waiting_place {
    std::uint64_t channel = 0, number = 0;
  };
  static waiting_place& waits();

  static void free_sent(std::list<sent_report>& reports);
  // MPI may still read reports that nobody has received yet: they outlive the channel.
  void leave_reports();
  static std::vector<desync_monitor*>& open();
  // A rank that ends its program waits for the others before MPI_Finalize does. It answers them until they end, too.
  static void answer_at_the_end();
  // Prints errors: MPI_Finalize cannot throw them. A rank may be dead if it does not come by the deadline, or by ten
  // times the deadline if nothing was wrong so far. MPI would wait for it for ever, so this ends the run.
  static void leave_all();
  // Ends the run if a rank's process has ended: MPI_Finalize would wait for it for ever.
  static void end_after_death(desync_monitor const& c);

  MPI_Comm channel_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  std::uint64_t id_ = 0;
  std::uint64_t next_mesh_ = 0;
  call_history history_;
  made_tensors tensors_;
  std::string failure_;                  // the noted error for which this rank has given up, since its last mesh
  call_in_progress* current_ = nullptr;  // null outside of calls
  bool closed_ = false;
  MPI_Request all_closed_ = MPI_REQUEST_NULL;  // the last two collectives
  // Its result: least fingerprint, least complement, the same of the lines in order and in any order, 0 if some rank has
  // lost count.
  std::uint64_t at_end_[7]{};
  std::vector<std::uint64_t> sums_at_end_;  // of the second one: balances of meshes, and reports sent to each rank
  retired_communicators retired_;
  std::list<sent_report> sent_;
  std::vector<std::uint64_t> sent_to_;    // the number of reports, by rank
  std::uint64_t received_ = 0;            // reports
  std::vector<known_process> processes_;  // of the ranks, as far as this process sees them
  std::map<int, call_report> waiting_;    // by rank: its last question about a call that this rank had not begun
};

/// Throws an error that some rank has noted. `monitor`: null without desync detection.
[[noreturn]] ASHLAR_INLINE void throw_noted_error(desync_monitor* monitor, std::string const& text);

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/monitor.ipp"
#endif
