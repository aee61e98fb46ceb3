// labels: sanitizers
// A group whose other rank's process has ended. What else groups do: tests/threads.
#include "ashlar/comm/node/group.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

using namespace ashlar;
using namespace ashlar::comm_detail;

TEST_CASE("node_group: a rank whose process has ended is not waited for") {
  signal(SIGCHLD, SIG_IGN);  // no zombie is left of it
  pid_t const child = fork();
  if (child == 0) _exit(0);
  auto const group_on = [child](std::vector<node_slot>& slots) {
    return node_group(
        0, {{nullptr, &slots[0], 0, {}, 0, 2}, {nullptr, &slots[1], 0, comm_detail::known_process(child), 0, 3}}, {});
  };
  std::vector<node_slot> slots(2);
  node_group g = group_on(slots);
  CHECK_THROWS_WITH_AS(
      g.arrive({}),
      doctest::Contains(" s on its node for rank 3, which has ended; collectives begun here: 1, there: 0"), error);
  CHECK_THROWS_WITH_AS(g.arrive({}), doctest::Contains("rank 2 has given up a collective among these ranks before"),
                       error);
  signal(SIGCHLD, SIG_DFL);

  // One that arrived before it ended is no error.
  std::vector<node_slot> others(2);
  others[1].turns[1].arrived = 1;
  group_on(others).arrive({});
}

TEST_CASE("node_group: a round that begins inside another is an error, not a wrong operand") {
  auto const is_refused = [](auto const& begins) {
    node_slot slot;
    node_group g(0, {{nullptr, &slot, 0}}, {});
    g.arrive({1, 0, 0});
    g.finish();
    g.arrive({2, 0, 0});
    CHECK_THROWS_WITH_AS(begins(g), doctest::Contains("began inside another one of theirs"), error);
    CHECK(g.call(0).fingerprint == 2);
    CHECK(g.has_given_up());  // others that wait for the end of its round learn of it
  };
  is_refused([](node_group& g) { g.begin({3, 0, 0}); });
  is_refused([](node_group& g) { (void)g.inline_memory(); });
}
