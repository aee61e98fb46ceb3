// A group of ranks.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/comm/counters.hpp"
#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/node/group.hpp"
#include "ashlar/comm/collectives/persistent.hpp"
#include "ashlar/comm/collectives/tuning.hpp"

namespace ashlar::detail {

struct node_levels;

/// A collective in shared memory that has begun and is not complete: the next one there completes it first.
class unfinished_collective {
 public:
  virtual void complete() = 0;

 protected:
  ~unfinished_collective() = default;
};

/// Looks after the ranks of a communicator while this rank waits there. Desync detection implements it.
class waiting_monitor {
 public:
  /// Error: ashlar::error where waiting on is of no use.
  virtual void poll_others() = 0;
  virtual ~waiting_monitor() = default;
};

/// Names the collective in progress among the ranks of a communicator.
struct collective_name {
  int tag = 0;              // of its messages
  std::uint64_t fingerprint = 0;  // the same on all ranks that call the same
};

struct communicator_state {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  bool oversubscribed = false;  // processes of this node exceed its cores
  bool yields = false;
  bool has_deadline = false;
  std::shared_ptr<comm_counters> counters = std::make_shared<comm_counters>();

  // What collectives need while they run: grown, never given back per call.
  std::vector<MPI_Request> requests;
  std::vector<std::size_t> starts, receive_starts;
  std::vector<comm::count_type> counts;
  std::vector<comm::displacement_type> displacements;
  struct free_aligned {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, free_aligned> buffer;
  std::size_t buffer_size = 0;

  std::unique_ptr<node_group> node;  // where the ranks see each other's memory
  unfinished_collective* unfinished = nullptr;  // there
  std::shared_ptr<node_levels> levels;  // where the ranks of each of several nodes do
  std::shared_ptr<waiting_monitor> monitor;  // null without desync detection
  collective_name in_progress;
  std::uint64_t begun = 0;           // collectives among these ranks
  std::uint64_t collectives = 0, mixed_fingerprints = 0;  // that MPI's own collectives serve, since they were last compared
  bool keeps_messages = false;  // of a collective that failed, which nobody takes in
  bool lost_messages = false;   // this rank has left some under way, or a collective of MPI's
  bool used_collectives = false;  // of MPI's, in which a rank does not look up
  persistent_collectives persistent;

  communicator_state() = default;
  communicator_state(communicator_state const&) = delete;
  communicator_state& operator=(communicator_state const&) = delete;
  ~communicator_state() {
    persistent.clear();
    // MPICH gives a freed communicator's context to the next one, which would take in what was left in it.
    if (handle != MPI_COMM_NULL && !keeps_messages && mpi_is_usable()) MPI_Comm_free(&handle);
  }

  void adopt(MPI_Comm made) {
    handle = made;
    comm::check(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    comm::check(MPI_Comm_rank(handle, &rank), "MPI_Comm_rank");
    comm::check(MPI_Comm_size(handle, &size), "MPI_Comm_size");
  }

  template <class T>
  T* scratch(std::size_t n) {
    if (n * sizeof(T) > buffer_size) {
      buffer.reset();
      buffer_size = 0;
      buffer.reset(static_cast<std::byte*>(::operator new(n * sizeof(T), std::align_val_t(64))));
      buffer_size = n * sizeof(T);
    }
    return reinterpret_cast<T*>(buffer.get());
  }
  // Who takes it keeps it: the next scratch lies elsewhere.
  std::byte* release_scratch() {
    buffer_size = 0;
    return buffer.release();
  }
};

// Whether MPI itself yields the core while it waits, as Open MPI does where its launcher says that ranks exceed
// cores: its own waiting is twice as fast as polling from outside. (Asking MPI_T takes a quarter of a second.)
inline bool mpi_yields() {
#ifdef OPEN_MPI
  for (char const* name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"})
    if (char const* value = std::getenv(name)) return std::strchr("1tTyY", *value) != nullptr && *value != '\0';
#endif
  return false;
}

}  // namespace ashlar::detail

namespace ashlar {

/// A group of ranks with a context of its own: messages here never meet those of the program or of other libraries.
/// Copies are handles on the same state; the last one frees the MPI communicator, unless MPI is finalised by then.
/// Errors of MPI come back as `ashlar::error`.
/// Collective: construction and `split` block; all ranks use one communicator's collectives in the same order.
class communicator {
 public:
  /// This rank alone, without MPI.
  communicator() : state_(std::make_shared<detail::communicator_state>()) {}

  /// A duplicate of the program's communicator.
  /// Collective: over `comm`.
  /// Error: `ashlar::error` where MPI is not usable or `comm` is MPI_COMM_NULL.
  explicit communicator(MPI_Comm comm) : communicator(comm, nullptr) {}

  /// The same, whose ranks call `monitor` now and then while they wait, here and in parts of it. Null: none.
  /// Error: also as `monitor`.
  communicator(MPI_Comm comm, std::shared_ptr<detail::waiting_monitor> monitor) : communicator() {
    if (!mpi_is_usable())
      throw error("ashlar::communicator: MPI is not initialised or already finalised; make an ashlar::mpi_environment");
    if (comm == MPI_COMM_NULL)
      throw error("ashlar::communicator: MPI_COMM_NULL has no ranks; pass MPI_COMM_WORLD or a part of it");
    struct duplicate {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Request request = MPI_REQUEST_NULL;
    };
    static std::list<duplicate> begun;  // MPI may still write there if this rank does not wait to the end
    auto const d = begun.emplace(begun.end());
    comm::check(MPI_Comm_idup(comm, &d->made, &d->request), "MPI_Comm_idup");
    state_->monitor = std::move(monitor);
    detail::poll({&d->request, 1}, [this] { poll_others(); });
    MPI_Comm const made = d->made;
    begun.erase(d);
    state_->adopt(made);
    state_->oversubscribed = detail::node_load::of_this_program().oversubscribed(made);
    state_->yields = detail::any_rank(made, state_->oversubscribed && !detail::mpi_yields());
    state_->has_deadline = detail::any_rank(made, comm::deadline() > 0);
  }

  int rank() const { return state_->rank; }
  int size() const { return state_->size; }
  /// MPI's handle; MPI_COMM_NULL for a rank alone.
  MPI_Comm get() const { return state_->handle; }
  comm_counters& counters() const { return *state_->counters; }

  /// Whether waiting polls and yields the core between two polls: on some node of its ranks the program's processes
  /// exceed the cores and MPI would spin. The same on all ranks.
  bool yields() const { return state_->yields; }
  /// Decides it otherwise, where the number of cores is not what the system says; for messages and for ranks that read each
  /// other's memory.
  /// Pre: the same value on all ranks.
  void set_yields(bool yields) {
    state_->oversubscribed = state_->yields = yields;
    if (state_->node) state_->node->set_oversubscribed(yields);
  }

  /// One communicator for each color, its ranks ordered by key and, among equal keys, by rank here.
  /// Collective: over this communicator; blocks.
  communicator split(int color, int key) const {
    communicator part;
    part.state_->counters = state_->counters;
    part.state_->monitor = state_->monitor;
    if (size() == 1) return part;
    MPI_Comm made = MPI_COMM_NULL;
    comm::check(MPI_Comm_split(get(), color, key, &made), "MPI_Comm_split");
    part.state_->adopt(made);
    part.state_->oversubscribed = state_->oversubscribed;
    part.state_->yields = yields();
    part.state_->has_deadline = state_->has_deadline;
    return part;
  }

  /// Blocks until a request is complete, or all are, polling, and yielding where `yields()`.
  /// Error: as MPI; in a collective, where the ranks do not call the same. The requests are not complete then, and their buffers
  /// are not the program's; no collective among these ranks begins here any more.
  void wait(MPI_Request& request) const {  // MPICH 4.0's MPI_Testall fails for a persistent collective
    wait_until([&](int& done) { comm::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"); });
  }
  void wait_all(std::span<MPI_Request> requests) const {
    wait_until([&](int& done) { comm::check(MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall"); });
  }

  /// Buffers that the collectives reuse.
  detail::communicator_state& state() const { return *state_; }

 private:
  void poll_others() const {
    if (state_->monitor) state_->monitor->poll_others();
  }
  template <class Look>
  void wait_until(Look look_at) const try {
    int done = 0;
    for (unsigned poll_number = 1;; ++poll_number) {
      look_at(done);
      if (done) return;
      if (yields()) detail::yield_core(poll_number);
      if (poll_number % 64 == 0) poll_others();
    }
  } catch (...) {
    state_->lost_messages = true;
    throw;
  }

  std::shared_ptr<detail::communicator_state> state_;
};

}  // namespace ashlar

namespace ashlar::detail {

/// The ranks of a communicator as a table: nodes, and the places of their ranks.
/// A reduction is made in each node, then between the ranks of one place, each on its share; a gather the other way round.
/// Where nodes have different numbers of ranks, only places that all of them have stand for a share, and all-reduce alone goes this
/// way: what the other ranks contribute or keep would have to be handed on in their node, once more.
struct node_levels {
  communicator intra_node, inter_node;    // the ranks of this node, and those of this place, in order: alone where some node lacks it
  int local_ranks = 0;            // that all nodes have
  bool even = true;          // no node has more
  std::vector<int> rank_at;  // by node and place. Pre of what follows: even

  int nodes() const { return inter_node.size(); }
  int at(int node, int local_rank) const { return rank_at[static_cast<std::size_t>(node * intra_node.size() + local_rank)]; }
};

// A blocking collective of MPI or, where ranks exceed cores, its nonblocking form and a wait that yields: MPI's own
// waiting spins, and MPICH then takes milliseconds for what takes microseconds. The same where there is a deadline, which a
// rank within MPI would not see pass.
template <class Blocking, class Nonblocking, class... A>
void call_mpi(communicator const& c, char const* what, Blocking blocking, Nonblocking nonblocking, A... a) {
  ++c.counters().mpi_collectives;
  if (!c.yields() && !c.state().has_deadline) return comm::check(blocking(a..., c.get()), what);
  MPI_Request request = MPI_REQUEST_NULL;
  comm::check(nonblocking(a..., c.get(), &request), what);
  c.wait(request);
}

// The same by a persistent collective from n elements to m: init(operand, result, communicator, info, request) sets it up.
template <class T, class Init>
void call_persistent(communicator const& c, char const* what, persistent_collective::key const& k, T const* source, std::size_t n, T* destination, std::size_t m,
                     Init init) {
  persistent_collective& p = c.state().persistent.get(k, n * sizeof(T), m * sizeof(T), [&](persistent_collective& made) {
    comm::check(init(made.operand<T>(), made.result<T>(), c.get(), MPI_INFO_NULL, &made.request), what);
  });
  std::memcpy(p.operand<T>(), source, n * sizeof(T));
  ++c.counters().mpi_collectives;
  comm::check(MPI_Start(&p.request), "MPI_Start");
  p.is_under_way = true;
  c.wait(p.request);
  p.is_under_way = false;
  std::memcpy(destination, p.result<T>(), m * sizeof(T));
}

}  // namespace ashlar::detail
