// The clock that times waiting ranks and collectives.
#pragma once
#include <ctime>

namespace ashlar::comm {

/// Seconds of the monotonic clock, which all ranks of a node share.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace ashlar::comm
