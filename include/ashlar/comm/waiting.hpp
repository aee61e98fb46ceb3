// SPDX-License-Identifier: BSL-1.0
// Waiting: the clock that times ranks and collectives, and ways to let other ranks run.
#pragma once
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

namespace ashlar::comm_detail {

/// Seconds of the monotonic clock, which all ranks of a node share.
inline double clock_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// True if sched_yield lets other ranks run. If Linux schedules processes in groups by session, a process yields only
/// to its own session. Launchers such as MPICH's give each rank a session.
inline bool yielding_reaches_others() {
  static bool const reaches = [] {
    char grouped = '0';
    if (std::FILE* const file = std::fopen("/proc/sys/kernel/sched_autogroup_enabled", "r")) {
      grouped = static_cast<char>(std::fgetc(file));
      std::fclose(file);
    }
    return grouped != '1' || getsid(0) != getpid();
  }();
  return reaches;
}

/// Call it between two polls of a rank that waits, with poll number 1, 2, ..., on an oversubscribed node. Otherwise the
/// rank would run to the end of its time slice, milliseconds, before another rank can do its part.
inline void yield_core(unsigned poll_number) {
  // 16 polls take about 10 us; a sleep takes 55 us, see docs/decisions/node_transport.md.
  constexpr unsigned polls_before_sleeping = 16;
  if (poll_number <= polls_before_sleeping || yielding_reaches_others()) {
    sched_yield();
    return;
  }
  timespec const shortest{0, 1};
  nanosleep(&shortest, nullptr);
}

}  // namespace ashlar::comm_detail
