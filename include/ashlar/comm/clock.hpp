// SPDX-License-Identifier: BSL-1.0
// The clock that times waiting ranks and collectives.
#pragma once
#include <ctime>

namespace ashlar::comm_detail {

/// Seconds of the monotonic clock, which all ranks of a node share.
inline double clock_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace ashlar::comm_detail
