// The functions of comm/desync/one_thread.hpp.
#pragma once
#include "ashlar/comm/desync/one_thread.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void require_one_thread() {
  static pthread_t const first = pthread_self();
  if (pthread_equal(pthread_self(), first) == 0)
    throw error(
        "ashlar: another thread of this process has called collectives before, and calls of two threads have no order; call all of them from one thread");
}

}  // namespace ashlar::comm_detail
