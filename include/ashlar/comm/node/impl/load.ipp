// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/load.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

namespace ashlar::comm_detail {

ASHLAR_INLINE int largest_with_polls(MPI_Comm comm, int mine) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
  poll({&request, 1});
  return mine;
}

ASHLAR_INLINE void gather_with_polls(MPI_Comm comm, void const* mine, std::size_t n, void* all) {
  int rank = 0, ranks = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  // Blocks of this rank and of the ranks after it, which double in each round.
  std::vector<std::byte> found(n * static_cast<std::size_t>(ranks));
  auto const at = [&](int block) { return found.data() + n * static_cast<std::size_t>(block); };
  std::memcpy(at(0), mine, n);
  for (int have = 1; have < ranks; have *= 2) {
    int const more = (std::min)(have, ranks - have);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    check_mpi(PMPI_Irecv(at(have), static_cast<int>(n) * more, MPI_BYTE, (rank + have) % ranks, 0, comm, &requests[0]),
              "MPI_Irecv");
    check_mpi(
        PMPI_Isend(at(0), static_cast<int>(n) * more, MPI_BYTE, (rank + ranks - have) % ranks, 0, comm, &requests[1]),
        "MPI_Isend");
    poll(requests);
  }
  for (int q = 0; q < ranks; ++q)
    std::memcpy(static_cast<std::byte*>(all) + n * static_cast<std::size_t>((rank + q) % ranks), at(q), n);
}

ASHLAR_INLINE std::uint64_t own_node() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
  return std::hash<std::string_view>{}(name);
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
    std::uint64_t node = own_node();
    core_set cores = own_cores();
  } const mine;
  std::vector<place> const all = gather_with_polls(comm, mine);

  // Launchers bind each rank to cores of its own, so only the union of all ranks of a node gives the number of cores.
  constexpr int most_cores = core_set().size();
  struct node {
    std::uint64_t name;
    int ranks, fewest_of_a_rank;
    core_set cores;
  };
  std::vector<node> nodes;
  for (place const& p : all) {
    std::size_t at = nodes.size();  // most ranks are on the node of the rank before
    while (at > 0 && nodes[at - 1].name != p.node) --at;
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
    exceed = exceed || (n.ranks > cores && n.name == mine.node);
  }
  threads_per_process_ = (std::max)(least, 1);
  return exceed;
}

}  // namespace ashlar::comm_detail
