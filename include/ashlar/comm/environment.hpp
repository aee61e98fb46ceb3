// SPDX-License-Identifier: BSL-1.0
// Starting and ending MPI, and who may call it. All collectives of a process come from one thread, and none from a process
// that it has forked.
#pragma once
#include <optional>
#include <string>

#include "ashlar/config.hpp"
#include "ashlar/comm/node/load.hpp"
#include "ashlar/comm/watchdog.hpp"

namespace ashlar {

namespace comm_detail {
/// True if MPI calls may be made now: MPI is initialised and not finalised.
/// Example: if (mpi_is_usable()) report(MPI_COMM_WORLD);
ASHLAR_INLINE bool mpi_is_usable();

// Throws if MPI is already finalised, which may happen while tensors live. MPI itself would abort the program.
ASHLAR_INLINE void require_mpi(char const* call);

/// The ranks count their calls, and the other ranks take their order for the program's. Calls of two threads have no
/// order, even if MPI allows them.
/// Error: ashlar::error if another thread of this process has called this before, or the process that it was forked
///   from.
ASHLAR_INLINE void require_one_thread();
/// True if require_one_thread() does not throw here.
ASHLAR_INLINE bool is_thread_of_collectives();
}  // namespace comm_detail

/// Initialises MPI unless the program did already. Its destructor finalises MPI only if its constructor initialised it.
/// If $ASHLAR_WATCHDOG is set, a comm::watchdog runs until destruction.
/// Pre: it outlives every communicator that has to be freed. Communicators that live longer are left to MPI_Finalize.
/// Collective: construction and destruction, over all processes; both may block.
/// Cost: every process receives the node and the cores of all others, at most 400 bytes per process.
/// Error: `ashlar::error` if MPI is already finalised, or if $ASHLAR_WATCHDOG is malformed.
/// Example: `int main() { ashlar::mpi_environment mpi; ... }`
class mpi_environment {
 public:
  mpi_environment();
  mpi_environment(mpi_environment const&) = delete;
  mpi_environment& operator=(mpi_environment const&) = delete;
  ~mpi_environment();

 private:
  bool owns_ = false;
  std::optional<comm::watchdog> watchdog_;
};

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/comm/impl/environment.ipp"
#endif
