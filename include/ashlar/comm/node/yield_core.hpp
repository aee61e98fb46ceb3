// How a rank that waits lets others run.
#pragma once
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <fstream>

namespace ashlar::detail {

/// Whether sched_yield lets other ranks run. Where Linux groups processes by session for its scheduler, a process yields to
/// those of its own session alone, and launchers such as MPICH's give each rank one.
inline bool yielding_reaches_others() {
  static bool const reaches = [] {
    char grouped = '0';
    std::ifstream("/proc/sys/kernel/sched_autogroup_enabled") >> grouped;
    return grouped != '1' || getsid(0) != getpid();
  }();
  return reaches;
}

/// To be called between two looks at what a rank waits for, number 1, 2, ..., where ranks exceed cores: without a word to the
/// scheduler it would run to the end of its time slice, milliseconds, before what it waits for can happen.
inline void yield_core(unsigned poll_number) {
  constexpr unsigned polls_before_sleeping = 16;  // some 10 us; a sleep takes 55, see docs/decisions/node_transport.md
  if (poll_number <= polls_before_sleeping || yielding_reaches_others()) {
    sched_yield();
    return;
  }
  timespec const shortest{0, 1};
  nanosleep(&shortest, nullptr);
}

}  // namespace ashlar::detail
