// The functions of comm/node/load.hpp.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "ashlar/comm/node/load.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void poll(std::span<MPI_Request> requests) {
  poll(requests, [] {});
}

ASHLAR_INLINE bool any_rank(MPI_Comm comm, bool here) {
  int any = here;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
  poll({&request, 1});
  return any != 0;
}

ASHLAR_INLINE core_set own_cores() {
  core_set cores;
#if ASHLAR_LINUX
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (std::size_t i = 0; i < cores.size() && i < CPU_SETSIZE; ++i) cores[i] = CPU_ISSET(i, &allowed);
    return cores;
  }
#endif
  long const online = sysconf(_SC_NPROCESSORS_ONLN);
  for (std::size_t i = 0; i < cores.size() && static_cast<long>(i) < online; ++i) cores.set(i);
  return cores;
}

ASHLAR_INLINE node_load& node_load::of_this_program() {
  static node_load load;
  return load;
}

ASHLAR_INLINE bool node_load::oversubscribed(MPI_Comm comm) {
  if (of_all_) return *of_all_;
  int ranks = 0, processes = 0;
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  bool const now = exceed_cores(comm, ranks);
  if (ranks == processes) of_all_ = now;
  return now;
}

ASHLAR_INLINE bool node_load::exceed_cores(MPI_Comm comm, int size) {
  struct place {
    char node[MPI_MAX_PROCESSOR_NAME] = {};
    core_set cores = own_cores();
  } mine;
  int length = 0;
  check(MPI_Get_processor_name(mine.node, &length), "MPI_Get_processor_name");
  std::vector<place> all(std::size_t(size), mine);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request),
        "MPI_Iallgather");
  poll({&request, 1});

  // Launchers bind each rank to cores of its own, so only the union of all ranks of a node gives the number of cores.
  struct node {
    int ranks = 0, fewest_of_a_rank = std::numeric_limits<int>::max();
    core_set cores;
  };
  std::map<std::string, node> nodes;
  for (place const& p : all) {
    node& n = nodes[p.node];
    ++n.ranks;
    n.fewest_of_a_rank = std::min(n.fewest_of_a_rank, static_cast<int>(p.cores.count()));
    n.cores |= p.cores;
  }
  threads_per_process_ = std::numeric_limits<int>::max();
  for (auto const& [name, n] : nodes)
    threads_per_process_ =
        std::min({threads_per_process_, static_cast<int>(n.cores.count()) / n.ranks, n.fewest_of_a_rank});
  threads_per_process_ = std::max(threads_per_process_, 1);
  node const& here = nodes[mine.node];
  return here.ranks > static_cast<int>(here.cores.count());
}

}  // namespace ashlar::comm_detail
