// All collectives of a process come from one thread, and none from a process that it has forked.
#pragma once
#include <pthread.h>

#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// True in a process that was forked from one that had called this before. MPI does not know such a process.
inline bool& is_forked() {
  static bool forked = false;
  static int const told = pthread_atfork(nullptr, nullptr, [] { is_forked() = true; });
  (void)told;
  return forked;
}

/// The ranks count their calls, and the other ranks take their order for the program's. Calls of two threads have no
/// order, even if MPI allows them.
/// Error: ashlar::error if another thread of this process has called this before, or the process that it was forked
///   from.
inline void require_one_thread() {
  static pthread_t const first = pthread_self();
  if (pthread_equal(pthread_self(), first) == 0)
    throw error(
        "ashlar: another thread of this process has called collectives before, and calls of two threads have no order; call all of them from one thread");
  if (is_forked())
    throw error(
        "ashlar: this process was forked from a rank, and MPI does not know it; call collectives in the rank itself, and let the forked process call exec or _exit");
}

}  // namespace ashlar::comm_detail
