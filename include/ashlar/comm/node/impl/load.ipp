// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/load.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ashlar::comm_detail {

ASHLAR_INLINE int largest_with_polls(MPI_Comm comm, int mine) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
  poll({&request, 1});
  return mine;
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
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  bool const now = exceed_cores(comm);
  if (ranks == processes) of_all_ = now;
  return now;
}

ASHLAR_INLINE bool node_load::exceed_cores(MPI_Comm comm) {
  struct place {
    char node[MPI_MAX_PROCESSOR_NAME] = {};
    core_set cores = own_cores();
  } mine;
  int length = 0;
  check_mpi(MPI_Get_processor_name(mine.node, &length), "MPI_Get_processor_name");
  std::vector<place> const all = gather_with_polls(comm, mine);

  // Launchers bind each rank to cores of its own, so only the union of all ranks of a node gives the number of cores.
  constexpr int most_cores = core_set().size();
  struct node {
    char const* name;
    int ranks, fewest_of_a_rank;
    core_set cores;
  };
  std::vector<node> nodes;
  for (place const& p : all) {
    std::size_t at = nodes.size();  // most ranks are on the node of the rank before
    while (at > 0 && std::strcmp(nodes[at - 1].name, p.node) != 0) --at;
    if (at == 0) nodes.push_back({p.node, 0, most_cores, {}}), at = nodes.size();
    node& n = nodes[at - 1];
    ++n.ranks;
    n.fewest_of_a_rank = (std::min)(n.fewest_of_a_rank, static_cast<int>(p.cores.count()));
    n.cores |= p.cores;
  }
  int least = most_cores;
  bool exceed = false;
  for (node const& n : nodes) {
    int const cores = static_cast<int>(n.cores.count());
    least = (std::min)({least, cores / n.ranks, n.fewest_of_a_rank});
    exceed = exceed || (n.ranks > cores && std::strcmp(n.name, mine.node) == 0);
  }
  threads_per_process_ = (std::max)(least, 1);
  return exceed;
}

}  // namespace ashlar::comm_detail
