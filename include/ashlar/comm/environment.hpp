// Starting and ending MPI.
#pragma once
#include <memory>
#include <string>

#include "ashlar/comm/node/load.hpp"
#include "ashlar/comm/watchdog.hpp"

namespace ashlar {

/// True if MPI calls may be made now: MPI is initialised and not finalised.
inline bool mpi_is_usable() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

namespace comm_detail {
// Throws if MPI is already finalised, which may happen while tensors live. MPI itself would abort the program.
inline void require_mpi(char const* call) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized)
    throw error(std::string("ashlar::") + call +
                ": MPI is already finalised; call this while an ashlar::environment lives, or before MPI_Finalize");
}
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
  mpi_environment() {
    auto const settings = comm::watchdog::settings::from_environment();
    int finalized = 0, initialized = 0, provided = 0;
    MPI_Finalized(&finalized);
    if (finalized)
      throw error(
          "ashlar::mpi_environment: MPI is already finalised and cannot start again; make one environment in main");
    MPI_Initialized(&initialized);
    if (!initialized) {
      // Kernels run on many threads; only the main thread calls MPI.
      comm::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
      owns_ = true;
    }
    int rank = 0;
    comm::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    comm_detail::node_load::of_this_program().oversubscribed(MPI_COMM_WORLD);
    if (settings.seconds > 0) watchdog_ = std::make_unique<comm::watchdog>(rank, settings);
  }
  mpi_environment(mpi_environment const&) = delete;
  mpi_environment& operator=(mpi_environment const&) = delete;
  ~mpi_environment() {
    if (owns_ && mpi_is_usable()) MPI_Finalize();
  }

 private:
  bool owns_ = false;
  std::unique_ptr<comm::watchdog> watchdog_;
};

}  // namespace ashlar
