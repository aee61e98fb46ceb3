// SPDX-License-Identifier: BSL-1.0
// A group of ranks.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/collective_log.hpp"
#include "ashlar/comm/counters.hpp"
#include "ashlar/comm/desync/monitor.hpp"
#include "ashlar/comm/retired_communicators.hpp"
#include "ashlar/plan/ledger.hpp"
#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/node/group.hpp"
#include "ashlar/comm/collectives/derived_types.hpp"
#include "ashlar/comm/collectives/persistent.hpp"
#include "ashlar/comm/collectives/tuning.hpp"

namespace ashlar::comm_detail {

struct node_levels;

/// A collective in shared memory that has begun and is not complete. The next collective there completes it first.
class unfinished_collective {
 public:
  virtual void complete() = 0;

 protected:
  ~unfinished_collective() = default;
};

/// Names the collective in progress among the ranks of a communicator.
struct collective_name {
  int tag = 0;                    // of its messages.
  std::uint64_t fingerprint = 0;  // equal on all ranks that call the same.
  bool polls = false;             // a rank that waits in a collective of MPI's own polls the others.
};

/// The function of the library that agrees on something, for error sentences.
struct calling_function {
  char const* name = nullptr;
  call_site site{};
  std::uint64_t way = 0;  // of the arguments on which its way depends, and of functions within it
};

/// The calls among the ranks of a communicator, for desync detection.
struct desync_state {
  std::shared_ptr<desync_monitor> monitor;  // null without desync detection
  collective_name in_progress;
  calling_function caller;
  int entered = 0;                // calls that this rank is in
  std::uint64_t begun = 0;        // calls
  std::uint64_t mixed_calls = 0;  // of all calls begun, in order
  std::uint64_t served = 0;       // blocking collectives that MPI's own have served
  bool used_collectives = false;  // MPI's own, in which a waiting rank does not poll the others.

  /// Notes a call that begins. `fingerprint` is equal on all ranks that call the same.
  void note_call(std::uint64_t fingerprint) {
    mixed_calls = fingerprint_of(collective::exchange, mixed_calls, fingerprint);
  }
};

struct communicator_state {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  bool oversubscribed = false;  // more processes than cores on this node
  bool yields = false;
  bool has_deadline = false;
  std::shared_ptr<comm::counters> counters = std::make_shared<comm::counters>();
  // A collective has failed: late messages may arrive. Ranks may have begun collectives in other communicators of the mesh,
  // which this rank never enters. So all communicators that are split off from one share this flag.
  std::shared_ptr<bool> keeps_messages = std::make_shared<bool>(false);

  // Buffers of collectives. They grow, and are not freed after a call.
  std::vector<MPI_Request> requests;
  std::vector<std::size_t> starts;
  std::vector<count_type> counts;
  std::vector<displacement_type> displacements;
  struct free_aligned {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, free_aligned> buffer;
  std::size_t buffer_size = 0;

  std::unique_ptr<node_group> node;             // null unless all these ranks see each other's memory.
  unfinished_collective* unfinished = nullptr;  // in shared memory.
  std::shared_ptr<node_levels> levels;          // null unless the ranks form a hierarchy of nodes.
  desync_state desync;
  double failed_at = 0;  // the time at which this rank left messages or a collective of MPI under way; 0: never.
  int exceptions = std::uncaught_exceptions();
  persistent_collectives persistent;
  derived_types types;
  retired_communicators* retires_to = nullptr;  // of the monitor; null: this rank frees the communicator at once
  retired_communicators::place place;

  communicator_state() = default;
  communicator_state(communicator_state const&) = delete;
  communicator_state& operator=(communicator_state const&) = delete;
  ~communicator_state();

  void adopt(MPI_Comm made);
  bool lost_messages() const { return failed_at != 0; }
  void lose_messages();
  std::byte* scratch(std::size_t bytes);
  // Hands the scratch memory over to the caller. The next scratch() allocates anew.
  std::byte* release_scratch();
};

/// Error: ashlar::error on every rank of an inter-communicator. `who` begins the sentence.
ASHLAR_INLINE void require_one_group(MPI_Comm comm, char const* who);

// True if MPI itself yields the core while it waits. Open MPI does so if its launcher finds more ranks than cores.
// MPI's own waiting is then twice as fast as polling from outside. (Asking MPI_T would take 0.25 s.)
ASHLAR_INLINE bool mpi_yields();

}  // namespace ashlar::comm_detail

namespace ashlar {

/// A group of ranks with its own MPI context: its messages never mix with messages of the program or of other
/// libraries.
/// Copies are handles on the same state. The last copy frees the MPI communicator, unless MPI is finalised by then.
/// Communicators of a mesh are freed when all ranks make the next mesh from the same communicator, or end. After an
/// error in a collective, none of the communicators that were split off from one is freed: late messages may arrive
/// there. Errors of MPI are thrown as `ashlar::error`.
/// Collective: construction and `split`; both block. All ranks call the collectives of one communicator in the same
///   order.
class communicator {
 public:
  /// This rank alone, without MPI.
  communicator();
  // Moving copies, so that no handle is ever empty.
  communicator(communicator const&) = default;
  communicator& operator=(communicator const&) = default;

  /// A duplicate of the program's communicator.
  /// Collective: over `comm`.
  /// Error: `ashlar::error` if MPI is not usable, or `comm` is MPI_COMM_NULL or an inter-communicator.
  explicit communicator(MPI_Comm comm) : communicator(comm, nullptr) {}

  /// The same with desync detection. A rank that waits here, or in a communicator split off from it, calls `monitor` now
  /// and then. Null: no detection.
  /// Error: also the errors that `monitor` throws.
  communicator(MPI_Comm comm, std::shared_ptr<comm_detail::desync_monitor> monitor);

  int rank() const { return state_->rank; }
  int size() const { return state_->size; }
  /// MPI's handle; MPI_COMM_NULL for a rank alone.
  MPI_Comm get() const { return state_->handle; }
  comm::counters& counters() const { return *state_->counters; }

  /// True if a waiting rank yields the core between two polls. That is so if a node of these ranks is oversubscribed
  /// and MPI would spin. The same on all ranks.
  bool yields() const { return state_->yields; }
  /// Overrides that decision, for messages and for shared memory, if the system reports a wrong number of cores.
  /// Pre: the same value on all ranks.
  void set_yields(bool yields);

  /// Makes one communicator per color. Its ranks are ordered by key and, if keys are equal, by rank here.
  /// Collective: over this communicator; blocks.
  communicator split(int color, int key) const;

  /// Blocks until one request is complete (wait), or all are (wait_all). Polls, and yields the core if `yields()`.
  /// Error: as MPI; in a collective, also if the ranks do not call the same. Then the requests are not complete, and
  ///   their buffers do not belong to the program. This rank begins no collective among these ranks any more.
  void wait(MPI_Request& request) const;
  void wait_all(std::span<MPI_Request> requests) const;

  /// The state that all copies share: handle, settings, and buffers that collectives reuse.
  comm_detail::communicator_state& state() const { return *state_; }

 private:
  void poll_others() const;
  template <class Look>
  void wait_until(Look look_at) const try {
    int done = 0;
    double begin = 0;
    for (unsigned poll_number = 1;; ++poll_number) {
      look_at(done);
      if (done) return;
      if (yields()) comm_detail::yield_core(poll_number);
      if (poll_number % 64 != 0) continue;
      poll_others();
      if (state_->lost_messages()) end_after_failure();
      if (state_->has_deadline) end_after_deadline(begin);
    }
  } catch (...) {
    state_->lose_messages();
    throw;
  }

  // Throws if this rank still waits in a collective that was in flight when another one failed here. Other ranks may
  // have left their meshes then.
  void end_after_failure() const;
  // Throws if this rank has waited longer than the deadline in something that no monitor knows. `begin`: the time of the
  // first poll, or 0.
  void end_after_deadline(double& begin) const;

  std::shared_ptr<comm_detail::communicator_state> state_;
};

}  // namespace ashlar

namespace ashlar::comm_detail {

/// The ranks of a communicator as a table of nodes and local ranks.
/// A reduction combines within each node first. Then the ranks of equal local rank combine their shares between nodes.
/// A gather goes the other way.
/// If nodes have different numbers of ranks, only local ranks that every node has get a share, and only all_reduce uses
/// the table. Halos use `own_node`. Other collectives would have to forward the blocks of the remaining ranks once more within their node.
struct node_levels {
  // intra_node: the ranks of this node. inter_node: the ranks with this local rank, by node; this rank alone if a node
  // lacks it.
  communicator intra_node, inter_node;
  int local_ranks = 0;        // that every node has.
  bool even = true;           // all nodes have the same number of ranks.
  std::vector<int> rank_at;   // by node and local rank. at() requires `even`.
  std::vector<int> own_node;  // the ranks of this node, by local rank: they ascend

  int nodes() const { return inter_node.size(); }
  int at(int node, int local_rank) const;
  /// The local rank of a rank; -1 if it is on another node.
  int place(int rank) const;
};

/// The ranks of c that may share memory with this one: all of them, or the ranks of its node.
inline communicator const& ranks_of_node(communicator const& c) {
  return c.state().levels ? c.state().levels->intra_node : c;
}
/// The number of rank q of c among these; -1 if it is on another node.
inline int place_on_node(communicator const& c, int q) { return c.state().levels ? c.state().levels->place(q) : q; }

// Calls a blocking collective of MPI. If ranks yield, if there is a deadline, or if the call in progress polls, calls its
// nonblocking form instead and waits with polls. MPI's own waiting spins: on an oversubscribed node MPICH then takes
// milliseconds instead of microseconds. A rank inside MPI would see no deadline pass and hear of no rank that has ended.
template <class Blocking, class Nonblocking, class... A>
void call_mpi(communicator const& c, char const* what, Blocking blocking, Nonblocking nonblocking, A... a) {
  ++c.counters().mpi_collectives;
  if (!c.yields() && !c.state().has_deadline && !c.state().desync.in_progress.polls)
    return check_mpi(blocking(a..., c.get()), what);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(nonblocking(a..., c.get(), &request), what);
  c.wait(request);
}

// The same by a persistent collective from n bytes to m. init(operand, result, communicator, info, request) sets it up.
template <class Init>
void call_persistent(communicator const& c, char const* what, persistent_collective::key const& k, void const* source,
                     std::size_t n, void* destination, std::size_t m, Init init) {
  persistent_collective& p = c.state().persistent.get(k, n, m, [&](persistent_collective& made) {
    check_mpi(init(made.operand(), made.result(), c.get(), MPI_INFO_NULL, &made.request), what);
  });
  std::memcpy(p.operand(), source, n);
  ++c.counters().mpi_collectives;
  check_mpi(MPI_Start(&p.request), "MPI_Start");
  p.is_under_way = true;
  c.wait(p.request);
  p.is_under_way = false;
  std::memcpy(destination, p.result(), m);
}

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/impl/communicator.ipp"
#endif
