// A group whose other rank's process has ended. What else groups do: tests/threads.
#include "ashlar/comm/node_group.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

using namespace ashlar;
using namespace ashlar::detail;

TEST_CASE("node_group: a rank whose process has ended is not waited for") {
  signal(SIGCHLD, SIG_IGN);  // no zombie is left of it
  pid_t const child = fork();
  if (child == 0) _exit(0);
  std::vector<node_slot> slots(2);
  node_group g(0, {{nullptr, &slots[0], 0, 0}, {nullptr, &slots[1], 0, child}}, {});
  CHECK_THROWS_WITH_AS(g.arrive({}), doctest::Contains("for rank 1, which has ended; verbs begun here: 1, there: 0"), error);
  signal(SIGCHLD, SIG_DFL);

  // One that arrived before it ended is no error.
  slots[1].turns[0].arrived = 2;
  g.arrive({});
}
