// Ranks as threads: what the thread sanitizer sees of the rounds in which ranks read and write each other's memory.
#include "ashlar/comm/node_group.hpp"
#include "ashlar/layout/op.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

using namespace ashlar;
using namespace ashlar::detail;

namespace {

// Runs f(group, nap) on `ranks` threads; nap() waits now and then, at random.
template <class F>
void on_ranks(std::vector<node_slot>& slots, std::uint64_t first_round, bool naps, F f) {
  std::vector<std::thread> threads;
  for (int r = 0; r < static_cast<int>(slots.size()); ++r)
    threads.emplace_back([&, r] {
      std::vector<node_group::member> members;
      for (node_slot& s : slots) members.push_back({nullptr, &s, first_round, 0, s.groups_left});
      node_group group(r, std::move(members), {100, 0});
      std::minstd_rand random(static_cast<unsigned>(r) + 1);
      f(group, [&] {
        if (naps && random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
      });
    });
  for (std::thread& t : threads) t.join();
}

template <class T>
std::uint64_t address(T* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

// Element i of rank r's operand in a round: small whole numbers, whose sums are exact.
float element(int round, int r, std::size_t i) { return static_cast<float>((round + 1) * (r + 1) + static_cast<int>(i % 5)); }
float total(int round, int ranks, std::size_t i) {
  return static_cast<float>((round + 1) * ranks * (ranks + 1) / 2 + ranks * static_cast<int>(i % 5));
}

// Sums of many rounds, operands by turns copied to the slots and read in place, where all store into all results.
int wrong_sums(int ranks, bool naps) {
  std::vector<node_slot> slots(static_cast<std::size_t>(ranks));
  std::atomic<int> wrong{0};
  on_ranks(slots, 0, naps, [&](node_group& g, auto nap) {
    int const p = g.size(), r = g.rank();
    std::vector<float> x(5000), y(5000);
    for (int round = 0; round < 300; ++round) {
      bool const copied = round % 3 == 1;
      std::size_t n = static_cast<std::size_t>(round * 37 % 5000) + 1;
      if (copied) n = std::min(n, node_slot::inline_bytes / sizeof(float));
      for (std::size_t i = 0; i < n; ++i) x[i] = element(round, r, i);
      nap();
      if (copied) {
        std::memcpy(g.inline_memory(), x.data(), n * sizeof(float));
        g.arrive({7, address(g.inline_memory()), 0});
        nap();
        combine_sources<op::sum, float>(
            g, 0, n, [&](std::size_t begin, float const* sum, std::size_t m) { std::memcpy(&y[begin], sum, m * sizeof(float)); });
        g.finish();
      } else {
        g.arrive({7, address(x.data()), address(y.data())});
        nap();
        std::size_t const first = n * static_cast<std::size_t>(r) / static_cast<std::size_t>(p);
        std::size_t const last = n * static_cast<std::size_t>(r + 1) / static_cast<std::size_t>(p);
        combine_sources<op::sum, float>(g, first, last - first, [&](std::size_t begin, float const* sum, std::size_t m) {
          for (int q = 0; q < p; ++q) std::memcpy(g.destination<float>(q) + begin, sum, m * sizeof(float));
        });
        nap();
        g.finish();
        g.wait_until_all_are_done();
      }
      for (std::size_t i = 0; i < n; ++i) wrong += y[i] != total(round, p, i);
    }
  });
  return wrong;
}

}  // namespace

TEST_CASE("node_group: sums of many rounds, copied and in place") {
  for (int ranks : {2, 3, 4, 7}) {
    CAPTURE(ranks);
    CHECK(wrong_sums(ranks, false) == 0);
    CHECK(wrong_sums(ranks, true) == 0);
  }
}

TEST_CASE("node_group: slots go on where another group left them") {
  std::vector<node_slot> slots(3);
  std::atomic<int> wrong{0};
  for (std::uint64_t first : {0u, 5u, 10u})
    on_ranks(slots, first, true, [&](node_group& g, auto nap) {
      for (std::uint64_t round = 0; round < 5; ++round) {
        nap();
        g.arrive({first + round, 0, nowhere});
        for (int q = 0; q < g.size(); ++q) wrong += g.call(q).fingerprint != first + round || g.call(q).destination != nowhere;
        g.finish();
      }
    });
  CHECK(wrong == 0);
}

TEST_CASE("node_group: the slot is given back when the rank leaves") {
  static int released = 0;
  node_slot slot;
  {
    node_group const g(0, {{nullptr, &slot, 0}}, {}, [](node_group::left_slot s) { released += s.is_free(); });
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

TEST_CASE("node_group: a slot is free when all members have left, and nobody reads it then") {
  static std::vector<node_group::left_slot> left;
  std::vector<node_slot> slots(2);
  for (std::uint64_t first : {0u, 1u, 2u}) {
    auto const members = [&] {
      std::vector<node_group::member> all;
      for (node_slot& s : slots) all.push_back({nullptr, &s, first, 0, first});
      return all;
    };
    std::atomic<bool> looked{false};
    int read = 0;
    std::thread other([&] {
      node_group g(1, members(), {100, 0});
      g.arrive({1, 0, 0});
      while (!looked) std::this_thread::yield();
      std::memcpy(&read, g.source<int>(0), sizeof read);
      g.finish();
    });
    {
      node_group g(0, members(), {100, 0}, [](node_group::left_slot s) { left.push_back(std::move(s)); });
      int const mine = 7 + static_cast<int>(first);
      std::memcpy(g.inline_memory(), &mine, sizeof mine);
      g.arrive({1, address(g.inline_memory()), 0});
      g.finish();
    }
    CHECK_FALSE(left.back().is_free());
    looked = true;
    while (!left.back().is_free()) std::this_thread::yield();
    for (auto& turn : slots[0].turns) std::memset(turn.bytes, 0, sizeof turn.bytes);
    other.join();
    CHECK(read == 7 + static_cast<int>(first));
  }
}

TEST_CASE("node_group: a rank that does not come is an error by the deadline") {
  std::vector<node_slot> slots(2);
  node_group g(0, {{nullptr, &slots[0], 0}, {nullptr, &slots[1], 0}}, {10, 0.6});
  CHECK_THROWS_WITH_AS(g.arrive({}), doctest::Contains("for rank 1, which has not come; verbs begun here: 1, there: 0"), error);
}
