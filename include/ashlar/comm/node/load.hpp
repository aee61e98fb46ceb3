// SPDX-License-Identifier: BSL-1.0
// Processes of this program and cores for them, on this node.
#pragma once
#include <sched.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/waiting.hpp"
#include "ashlar/comm/mpi.hpp"

namespace ashlar::comm_detail {

// Waits for requests and yields the core between two polls. Calls `meanwhile` now and then.
template <class F = void (*)()>
void poll(
    std::span<MPI_Request> requests, F meanwhile = [] {}) {
  int done = 0;
  for (unsigned poll_number = 1;; ++poll_number) {
    check_mpi(MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done) return;
    yield_core(poll_number);
    if (poll_number % 64 == 0) meanwhile();
  }
}

// The largest number of any rank. Collective: over `comm`; waits with polls.
ASHLAR_INLINE int largest_with_polls(MPI_Comm comm, int mine);

// The blocks of n bytes of all ranks, in the order of ranks.
// Collective: over `comm`; waits with polls. Cost: log2(ranks) messages to as many ranks, where MPI's own nonblocking call may
// connect each rank with every other. Source: Bruck and others, Efficient algorithms for all-to-all communications, 1997.
// Pre: the program sends and receives nothing on `comm`.
ASHLAR_INLINE void gather_with_polls(MPI_Comm comm, void const* mine, std::size_t n, void* all);
template <class T>
std::vector<T> gather_with_polls(MPI_Comm comm, T const& mine) {
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<T> all(static_cast<std::size_t>(ranks), mine);
  gather_with_polls(comm, &mine, sizeof mine, all.data());
  return all;
}

// A number for the name of this node.
ASHLAR_INLINE std::uint64_t own_node();

using core_set = std::bitset<1024>;

// The cores that this process may run on.
ASHLAR_INLINE core_set own_cores();

/// Compares the program's processes on this node with its cores. It counts once, as soon as all processes meet: in an
/// ashlar::mpi_environment or in a communicator of them all. Meshes on parts of the processes compete for the same
/// cores.
class node_load {
 public:
  static node_load& of_this_program();
  /// True if this node has more processes than cores; the same on all ranks of a node. Until all processes have been
  /// counted, it counts only the ranks of `comm`.
  /// Collective: over `comm`, until all processes have been counted.
  bool oversubscribed(MPI_Comm comm);
  /// The threads that each process may run if all are to have cores of their own: at least 1, and at most the cores on
  /// which it may run. The same on all processes that were counted, so that they divide equal work alike.
  int threads_per_process() const { return threads_per_process_; }

 private:
  bool exceed_cores(MPI_Comm comm);

  std::optional<bool> of_all_;
  int threads_per_process_ = 1;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/load.ipp"
#endif
