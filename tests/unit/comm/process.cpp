// labels: sanitizers
// A process that has ended, has ended without its parent's knowledge, or has a name that looks like more.
#include "ashlar/comm/node/process.hpp"
#include <doctest/doctest.h>
#include <sys/wait.h>
#if ASHLAR_LINUX
#include <sys/prctl.h>
#endif

using namespace ashlar::comm_detail;

namespace {

// A child that sleeps until it is killed, with this name.
pid_t child(char const* name) {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  pid_t const p = fork();
  if (p == 0) {
#if ASHLAR_LINUX
    prctl(PR_SET_NAME, name);
#else
    (void)name;
#endif
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  close(ready[1]);
  return p;
}

}  // namespace

// Linux alone tells when a process began, and that one has ended for which its parent has not waited.
TEST_CASE("process: alive, ended and not waited for, and gone") {
  constexpr bool told = ASHLAR_LINUX;
  for (char const* name : {"plain", "a) Z 1 (b", ")"}) {
    pid_t const p = child(name);
    known_process const known(p);
    CHECK(beginning_of(p).has_value() == told);
    CHECK((beginning_of(p).value_or(0) != 0) == told);
    CHECK(!known.has_ended());
    kill(p, SIGKILL);
    siginfo_t info;
    REQUIRE(waitid(P_PID, static_cast<id_t>(p), &info, WEXITED | WNOWAIT) == 0);  // it has ended, and stays a zombie
    CHECK(known.has_ended() == told);
    CHECK(beginning_of(p).value_or(0) == 0);
    waitpid(p, nullptr, 0);
    CHECK(known.has_ended());
  }
}

TEST_CASE("process: this one lives; none has not ended") {
  CHECK(!known_process(getpid()).has_ended());
  CHECK(!known_process().has_ended());
}
