// SPDX-License-Identifier: BSL-1.0
// The functions of comm/environment.hpp.
#include <pthread.h>

namespace ashlar {

namespace comm_detail {
ASHLAR_INLINE bool mpi_is_usable() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}
}  // namespace comm_detail

}  // namespace ashlar

namespace ashlar::comm_detail {

ASHLAR_INLINE void require_mpi(char const* call) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized)
    throw error(std::string("ashlar::") + call +
                ": MPI is already finalised; call this while an ashlar::environment lives, or before MPI_Finalize");
}

// True in a process that was forked from one that had called this before. MPI does not know such a process.
inline bool& is_forked() {
  static bool forked = false;
  static int const told = pthread_atfork(nullptr, nullptr, [] { is_forked() = true; });
  (void)told;
  return forked;
}

inline bool is_first_thread() {
  static pthread_t const first = pthread_self();
  return pthread_equal(pthread_self(), first) != 0;
}

ASHLAR_INLINE bool is_thread_of_collectives() { return is_first_thread() && !is_forked(); }

ASHLAR_INLINE void require_one_thread() {
  if (!is_first_thread())
    throw error(
        "ashlar: another thread of this process has called collectives before, and calls of two threads have no order; call all of them from one thread");
  if (is_forked())
    throw error(
        "ashlar: this process was forked from a rank, and MPI does not know it; call collectives in the rank itself, and let the forked process call exec or _exit");
}

}  // namespace ashlar::comm_detail

namespace ashlar {

ASHLAR_INLINE mpi_environment::mpi_environment() {
  auto const settings = comm::watchdog::settings::from_environment();
  int finalized = 0, initialized = 0, provided = 0;
  MPI_Finalized(&finalized);
  if (finalized)
    throw error(
        "ashlar::mpi_environment: MPI is already finalised and cannot start again; make one environment in main");
  MPI_Initialized(&initialized);
  if (!initialized) {
    // Kernels run on many threads; only the main thread calls MPI.
    comm_detail::check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    owns_ = true;
  }
  int rank = 0;
  comm_detail::check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  MPI_Comm all = MPI_COMM_WORLD;
  // A program that has started MPI may send and receive there.
  if (!owns_) comm_detail::check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &all), "MPI_Comm_dup");
  comm_detail::node_load::of_this_program().oversubscribed(all);
  if (!owns_) MPI_Comm_free(&all);
  if (settings.seconds > 0) watchdog_.emplace(rank, settings);
}

ASHLAR_INLINE mpi_environment::~mpi_environment() {
  if (owns_ && comm_detail::mpi_is_usable()) MPI_Finalize();
}

}  // namespace ashlar
