// Helpers for programs in which one rank does not come: whether a process is stopped, and those for tests of errors.
#pragma once
#include "provoked.hpp"

#include <sys/types.h>

#include <fstream>
#include <limits>
#include <string>

namespace ashlar::test {

/// True if the process is stopped, as by SIGSTOP.
inline bool is_stopped(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  char state = '?';
  stat.ignore(std::numeric_limits<std::streamsize>::max(), ')') >> state;
  return state == 'T';
}

}  // namespace ashlar::test
