// SPDX-License-Identifier: BSL-1.0
// Duplicates of the program's communicator.
#pragma once
#include <algorithm>
#include <list>
#include <memory>
#include <string>

#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/node/load.hpp"
#include "ashlar/comm/collectives/tuning.hpp"

namespace ashlar::comm_detail {

class waiting_monitor;

/// Error: ashlar::error on every rank of an inter-communicator. `who` begins the sentence.
inline void require_one_group(MPI_Comm comm, char const* who) {
  int joins_two = 0;
  check_mpi(MPI_Comm_test_inter(comm, &joins_two), "MPI_Comm_test_inter");
  if (joins_two != 0)
    throw error(std::string(who) +
                ": the communicator is an inter-communicator, which joins two groups of ranks; merge the groups by "
                "MPI_Intercomm_merge, or pass a communicator of one of them");
}

// A duplicate that the ranks of a communicator make, and the first numbers that they exchange there.
struct duplicate_in_progress {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  std::weak_ptr<waiting_monitor> monitor;
  bool has_told = false;
  int told[2]{};  // whether some rank resumes the duplicate, and whether some rank has a deadline
};

/// Returns a duplicate of `comm`, and in `any_deadline` whether some rank has a deadline. Calls `meanwhile` while it waits.
/// MPI matches the duplicates of a communicator in the order in which each rank begins them, and none can be cancelled. So
/// if an error ends this rank's wait, its next call with the same monitor resumes that duplicate. A rank that comes late
/// learns there that others have given it up, and has an error, too. Then all make another duplicate.
/// Pre: `monitor` is of `comm`, or null.
/// Collective: over `comm`.
/// Error: the errors that `meanwhile` throws. ashlar::error if other ranks have given up this call before.
template <class F>
MPI_Comm duplicate_of(MPI_Comm comm, std::shared_ptr<waiting_monitor> const& monitor, bool& any_deadline, F meanwhile) {
  require_one_group(comm, "ashlar::communicator");
  static std::list<duplicate_in_progress> begun;  // MPI may still write here after an error
  while (true) {
    auto d = std::find_if(begun.begin(), begun.end(), [&](duplicate_in_progress const& other) {
      return monitor != nullptr && other.monitor.lock() == monitor;
    });
    bool const resumes = d != begun.end();
    if (!resumes) {
      d = begun.emplace(begun.end());
      d->monitor = monitor;
      check_mpi(MPI_Comm_idup(comm, &d->made, &d->request), "MPI_Comm_idup");
    }
    poll({&d->request, 1}, meanwhile);
    if (!d->has_told) {
      d->has_told = true;
      d->told[0] = resumes;
      d->told[1] = deadline() > 0;
      check_mpi(MPI_Iallreduce(MPI_IN_PLACE, d->told, 2, MPI_INT, MPI_MAX, d->made, &d->request), "MPI_Iallreduce");
      poll({&d->request, 1}, meanwhile);
    }
    MPI_Comm const made = d->made;
    bool const given_up = d->told[0] != 0;
    any_deadline = d->told[1] != 0;
    begun.erase(d);
    if (!given_up) return made;
    if (!resumes)
      throw error("ashlar: this rank makes a mesh that other ranks have given up after an error; make another mesh");
  }
}

}  // namespace ashlar::comm_detail
