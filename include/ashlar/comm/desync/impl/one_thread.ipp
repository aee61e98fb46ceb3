// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/one_thread.hpp.
#include <pthread.h>

namespace ashlar::comm_detail {

ASHLAR_INLINE bool& is_forked() {
  static bool forked = false;
  static int const told = pthread_atfork(nullptr, nullptr, [] { is_forked() = true; });
  (void)told;
  return forked;
}

ASHLAR_INLINE bool is_first_thread() {
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
