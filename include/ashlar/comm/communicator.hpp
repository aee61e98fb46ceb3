// A group of ranks.
#pragma once
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include "ashlar/comm/counters.hpp"
#include "ashlar/comm/environment.hpp"

namespace ashlar::detail {

struct communicator_state {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  bool yields = false;
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

  communicator_state() = default;
  communicator_state(communicator_state const&) = delete;
  communicator_state& operator=(communicator_state const&) = delete;
  ~communicator_state() {
    if (handle != MPI_COMM_NULL && mpi_is_usable()) MPI_Comm_free(&handle);
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
};

// Whether MPI gives the core away by itself while it waits, as Open MPI does where its launcher knows that ranks exceed
// cores. Its own waiting is twice as fast as polling from outside.
inline bool mpi_yields() {
  int provided = 0, index = 0, count = 0;
  char value[64] = {};  // a truth value, of a type that depends on the version
  MPI_T_cvar_handle handle;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    if (count == 1) MPI_T_cvar_read(handle, value);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return std::any_of(std::begin(value), std::end(value), [](char byte) { return byte != 0; });
}

// Whether there are more ranks of `node` than cores that they may run on. Launchers bind each rank to cores of its own, so
// only the union of the ranks' masks says how many there are.
inline bool ranks_exceed_cores(MPI_Comm node) {
  int ranks = 0, cores = int(std::thread::hardware_concurrency());
  comm::check(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
#ifdef __linux__
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0)  // more cores than the mask has bits
    for (int i = 0; i < cores && i < CPU_SETSIZE; ++i) CPU_SET(std::size_t(i), &mine);
  comm::check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node), "MPI_Allreduce");
  cores = CPU_COUNT(&all);
#endif
  return ranks > cores;
}

// Whether waiting has to yield on some rank of `comm`.
inline bool waits_must_yield(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  comm::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int must = ranks_exceed_cores(node) && !mpi_yields(), any = 0;
  comm::check(MPI_Comm_free(&node), "MPI_Comm_free");
  comm::check(MPI_Allreduce(&must, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
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
  explicit communicator(MPI_Comm comm) : communicator() {
    if (!mpi_is_usable())
      throw error("ashlar::communicator: MPI is not initialised or already finalised; make an ashlar::mpi_environment in main, before all else");
    if (comm == MPI_COMM_NULL) throw error("ashlar::communicator: MPI_COMM_NULL has no ranks; pass MPI_COMM_WORLD or a part of it");
    MPI_Comm made = MPI_COMM_NULL;
    comm::check(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
    state_->adopt(made);
    state_->yields = detail::waits_must_yield(made);
  }

  int rank() const { return state_->rank; }
  int size() const { return state_->size; }
  /// MPI's handle; MPI_COMM_NULL for a rank alone.
  MPI_Comm get() const { return state_->handle; }
  comm_counters& counters() const { return *state_->counters; }

  /// Whether waiting polls and gives the core away between two polls: on some node ranks exceed cores and MPI would spin.
  /// The same on all ranks.
  bool yields() const { return state_->yields; }
  /// Decides it otherwise, where the number of cores is not what the system says.
  /// Pre: the same value on all ranks.
  void set_yields(bool yields) { state_->yields = yields; }

  /// One communicator for each color, its ranks ordered by key and, among equal keys, by rank here.
  /// Collective: over this communicator; blocks.
  communicator split(int color, int key) const {
    communicator part;
    part.state_->counters = state_->counters;
    if (size() == 1) return part;
    MPI_Comm made = MPI_COMM_NULL;
    comm::check(MPI_Comm_split(get(), color, key, &made), "MPI_Comm_split");
    part.state_->adopt(made);
    part.state_->yields = yields();
    return part;
  }

  void wait(MPI_Request& request) const { wait_all({&request, 1}); }

  /// Blocks until all requests are complete, polling and yielding where `yields()`.
  void wait_all(std::span<MPI_Request> requests) const {
    int n = int(requests.size()), done = 0;
    if (!yields()) return comm::check(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (;;) {
      comm::check(MPI_Testall(n, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
      sched_yield();
    }
  }

  /// Buffers that the collectives reuse.
  detail::communicator_state& state() const { return *state_; }

 private:
  std::shared_ptr<detail::communicator_state> state_;
};

}  // namespace ashlar

namespace ashlar::detail {

// A blocking collective of MPI or, where ranks exceed cores, its nonblocking form and a wait that yields: MPI's own
// waiting spins, and MPICH then takes milliseconds for what takes microseconds.
template <class Blocking, class Nonblocking, class... A>
void call_mpi(communicator const& c, char const* what, Blocking blocking, Nonblocking nonblocking, A... a) {
  ++c.counters().mpi_collectives;
  if (!c.yields()) return comm::check(blocking(a..., c.get()), what);
  MPI_Request request = MPI_REQUEST_NULL;
  comm::check(nonblocking(a..., c.get(), &request), what);
  c.wait(request);
}

}  // namespace ashlar::detail
