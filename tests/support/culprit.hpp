// Helpers for programs in which one rank does not come: the text of an error, and whether a process is stopped.
#pragma once
#include "ashlar/meta/error.hpp"

#include <sys/types.h>

#include <fstream>
#include <limits>
#include <string>

namespace ashlar::test {

/// Calls f and returns the message of the ashlar::error that it throws, or "nothing".
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (error const& e) {
    return e.what();
  }
  return "nothing";
}

/// True if the process is stopped, as by SIGSTOP.
inline bool is_stopped(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  char state = '?';
  stat.ignore(std::numeric_limits<std::streamsize>::max(), ')') >> state;
  return state == 'T';
}

}  // namespace ashlar::test
