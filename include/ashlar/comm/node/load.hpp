// Processes of this program and cores for them, on this node.
#pragma once
#include <sched.h>

#include <bitset>
#include <cstring>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "ashlar/comm/node/yield_core.hpp"
#include "ashlar/comm/mpi.hpp"
#include "ashlar/config.hpp"

namespace ashlar::comm_detail {

// Waits for requests and yields the core between two polls. Calls `meanwhile` now and then.
template <class F>
void poll(std::span<MPI_Request> requests, F meanwhile) {
  int done = 0;
  for (unsigned poll_number = 1;; ++poll_number) {
    comm::check(MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done) return;
    yield_core(poll_number);
    if (poll_number % 64 == 0) meanwhile();
  }
}
inline void poll(std::span<MPI_Request> requests) {
  poll(requests, [] {});
}

// True if `here` is true on some rank. Collective: over `comm`.
inline bool any_rank(MPI_Comm comm, bool here) {
  int any = here;
  MPI_Request request = MPI_REQUEST_NULL;
  comm::check(MPI_Iallreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
  poll({&request, 1});
  return any != 0;
}

using core_set = std::bitset<1024>;

// The cores that this process may run on.
inline core_set own_cores() {
  core_set cores;
#if ASHLAR_LINUX
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (std::size_t i = 0; i < cores.size() && i < CPU_SETSIZE; ++i) cores[i] = CPU_ISSET(i, &allowed);
    return cores;
  }
#endif
  for (std::size_t i = 0; i < cores.size() && i < std::thread::hardware_concurrency(); ++i) cores.set(i);
  return cores;
}

/// Compares the program's processes on this node with its cores. It counts once, as soon as all processes meet: in an
/// ashlar::mpi_environment or in a communicator of them all. Meshes on parts of the processes compete for the same
/// cores.
class node_load {
 public:
  static node_load& of_this_program() {
    static node_load load;
    return load;
  }
  /// True if this node has more processes than cores; the same on all ranks of a node. Until all processes have been
  /// counted, it counts only the ranks of `comm`.
  /// Collective: over `comm`, until all processes have been counted.
  bool oversubscribed(MPI_Comm comm) {
    if (of_all_) return *of_all_;
    int ranks = 0, processes = 0;
    comm::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    comm::check(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
    bool const now = exceed_cores(comm, ranks);
    if (ranks == processes) of_all_ = now;
    return now;
  }

 private:
  static bool exceed_cores(MPI_Comm comm, int size) {
    struct place {
      char node[MPI_MAX_PROCESSOR_NAME] = {};
      core_set cores = own_cores();
    } mine;
    int length = 0;
    comm::check(MPI_Get_processor_name(mine.node, &length), "MPI_Get_processor_name");
    std::vector<place> all(std::size_t(size), mine);
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request),
                "MPI_Iallgather");
    poll({&request, 1});

    // Launchers bind each rank to cores of its own, so only the union of all ranks gives the number of cores.
    int ranks = 0;
    for (place const& other : all) {
      if (std::strcmp(other.node, mine.node) != 0) continue;
      ++ranks;
      mine.cores |= other.cores;
    }
    return ranks > int(mine.cores.count());
  }

  std::optional<bool> of_all_;
};

}  // namespace ashlar::comm_detail
