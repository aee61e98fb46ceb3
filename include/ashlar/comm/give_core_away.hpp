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
inline void give_core_away(unsigned look) {
  // Some 10 us, and 55 of sleep. Shorter sleeps (a timer slack of 1 ns) made tests of 4 and 6 ranks on 2 cores 7 to 15 times
  // slower, since who wakes takes the core from who works; sleeps of 100 and 200 us a fifth and a half slower.
  constexpr unsigned looks_before_sleeping = 16;
  if (look <= looks_before_sleeping || yielding_reaches_others()) {
    sched_yield();
    return;
  }
  timespec const shortest{0, 1};
  nanosleep(&shortest, nullptr);
}

}  // namespace ashlar::detail
