// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/processes_of_ranks.hpp.
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "ashlar/comm/node/load.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE processes_of_ranks::processes_of_ranks(MPI_Comm comm, int ranks)
    : seen_(static_cast<std::size_t>(ranks)) {
  struct identity {
    std::uint64_t node, number, beginning;
  };
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
  pid_t const own = getpid();
  identity const mine{std::hash<std::string_view>{}(name), static_cast<std::uint64_t>(own),
                      beginning_of(own).value_or(0)};
  std::vector<identity> all(seen_.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request),
            "MPI_Iallgather");
  poll({&request, 1});
  for (std::size_t q = 0; q < all.size(); ++q)
    if (all[q].node == mine.node && all[q].number != mine.number)
      seen_[q] = known_process::that_began(static_cast<pid_t>(all[q].number), all[q].beginning);
}

}  // namespace ashlar::comm_detail
