// Whether ranks of this node have died.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ashlar/comm/node/load.hpp"
#include "ashlar/comm/node/process.hpp"

namespace ashlar::comm_detail {

/// The processes of the ranks of a communicator, as far as this process sees them: those of its node. A rank of another
/// container has another number here, or none: it is not seen.
class processes_of_ranks {
 public:
  processes_of_ranks() = default;
  /// Collective: over `comm`, which has so many ranks; blocks. Cost: an all-gather of 24 bytes per rank.
  processes_of_ranks(MPI_Comm comm, int ranks) : seen_(static_cast<std::size_t>(ranks)) {
    struct identity {
      std::uint64_t node, number, beginning;
    };
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    comm::check(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    pid_t const own = getpid();
    identity const mine{std::hash<std::string_view>{}(name), static_cast<std::uint64_t>(own),
                        beginning_of(own).value_or(0)};
    std::vector<identity> all(seen_.size());
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request),
                "MPI_Iallgather");
    poll({&request, 1});
    for (std::size_t q = 0; q < all.size(); ++q)
      if (all[q].node == mine.node && all[q].number != mine.number)
        seen_[q] = known_process::that_began(static_cast<pid_t>(all[q].number), all[q].beginning);
  }

  /// True if the process of rank q is known to have ended.
  bool has_ended(int q) const { return seen_[static_cast<std::size_t>(q)].has_ended(); }
  /// The first rank whose process has ended, or -1.
  int first_ended() const {
    for (std::size_t q = 0; q < seen_.size(); ++q)
      if (seen_[q].has_ended()) return static_cast<int>(q);
    return -1;
  }

 private:
  std::vector<known_process> seen_;
};

}  // namespace ashlar::comm_detail
