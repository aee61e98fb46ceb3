// What a function writes to stderr in a process of its own, for functions that end the process.
#pragma once
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

namespace ashlar::test {

/// What f() writes to stderr in a process of its own, and how that ends.
template <class F>
std::pair<std::string, int> written_by(F f) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);  // the process of its own would write it again
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    signal(SIGABRT, SIG_DFL);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {text, status};
}

}  // namespace ashlar::test
