// All collectives of a process come from one thread.
#pragma once
#include <pthread.h>

#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// The ranks count their calls, and the other ranks take their order for the program's. Calls of two threads have no
/// order, even if MPI allows them.
/// Error: ashlar::error if another thread of this process has called this before.
inline void require_one_thread() {
  static pthread_t const first = pthread_self();
  if (pthread_equal(pthread_self(), first) == 0)
    throw error(
        "ashlar: another thread of this process has called collectives before, and calls of two threads have no order; call all of them from one thread");
}

}  // namespace ashlar::comm_detail
