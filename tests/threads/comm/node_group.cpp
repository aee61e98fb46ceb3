// Ranks as threads: what the thread sanitizer sees of the rounds in which ranks read and write each other's memory.
#include "ashlar/comm/node/group.hpp"
#include "ashlar/layout/op.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>

using namespace ashlar;
using namespace ashlar::comm_detail;
using test::said;

namespace {

// Runs f(group, nap) on `ranks` threads; nap() waits now and then, at random.
template <class F>
void on_ranks(std::vector<node_slot>& slots, std::uint64_t first_round, bool naps, F f) {
  std::vector<std::thread> threads;
  for (int r = 0; r < static_cast<int>(slots.size()); ++r)
    threads.emplace_back([&, r] {
      std::vector<node_group::member> members;
      for (node_slot& s : slots) members.push_back({nullptr, &s, first_round, {}, s.groups_left});
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
float element(int round, int r, std::size_t i) {
  return static_cast<float>((round + 1) * (r + 1) + static_cast<int>(i % 5));
}
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
        combine_sources(g, combination_of<op::sum, float>, 0, n,
                        [&](std::size_t begin, std::byte const* sum, std::size_t m) {
                          std::memcpy(&y[begin], sum, m * sizeof(float));
                        });
        g.finish();
      } else {
        g.arrive({7, address(x.data()), address(y.data())});
        nap();
        std::size_t const first = n * static_cast<std::size_t>(r) / static_cast<std::size_t>(p);
        std::size_t const last = n * static_cast<std::size_t>(r + 1) / static_cast<std::size_t>(p);
        combine_sources(g, combination_of<op::sum, float>, first, last - first,
                        [&](std::size_t begin, std::byte const* sum, std::size_t m) {
                          for (int q = 0; q < p; ++q)
                            std::memcpy(g.destination<float>(q) + begin, sum, m * sizeof(float));
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
        for (int q = 0; q < g.size(); ++q)
          wrong += g.call(q).fingerprint != first + round || g.call(q).destination != nowhere;
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
      for (node_slot& s : slots) all.push_back({nullptr, &s, first, {}, first});
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

namespace {

// A group of ranks 10, 11, ... of a mesh, in slots that no group has had.
node_group new_group(std::vector<node_slot>& slots, int rank, double deadline) {
  std::vector<node_group::member> members;
  for (node_slot& s : slots) members.push_back({nullptr, &s, 0, {}, 0, 10 + static_cast<int>(members.size())});
  return {rank, std::move(members), {10, deadline}};
}
bool contains(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("node_group: a rank that does not come is an error by the deadline, whoever else was late") {
  std::vector<node_slot> slots(3);
  node_group g = new_group(slots, 0, 2);
  node_group never = new_group(slots, 2, 0);
  std::thread late([&] {
    node_group other = new_group(slots, 1, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    other.begin({});
  });
  std::string const text = said([&] { g.arrive({}); });
  late.join();
  CHECK(contains(text, "ashlar: rank 10 waited "));
  CHECK(contains(text, " s on its node for rank 12, which has not come; collectives begun here: 1, there: 0"));
}

TEST_CASE("node_group: who comes when others have given up learns it, and so does who still waits") {
  for (bool const large : {false, true}) {
    std::vector<node_slot> slots(3);
    std::atomic<bool> gave_up{false};
    std::atomic<int> released{0};
    std::string late, patient;
    std::vector<int> operand(3, 5);
    auto const call = [&](node_group& g) {
      std::string const text = said([&] {
        g.arrive({3, address(&operand[static_cast<std::size_t>(g.rank())]), 0});
        CHECK(*g.source<int>(1) == 5);
        g.finish();
        if (large) g.wait_until_all_are_done();
      });
      if (!text.empty()) g.finish();  // as its round does
      return text;
    };
    std::thread second([&] {
      node_group g = new_group(slots, 1, 0);
      patient = call(g);
      if (patient.empty()) patient = call(g);  // what lay open for all it may have had
      ++released;
    });
    std::thread third([&] {
      node_group g = new_group(slots, 2, 0);
      while (!gave_up) std::this_thread::yield();
      late = call(g);
      CHECK(contains(said([&] { g.begin({}); }),
                     "ashlar: rank 12 has given up a collective among these ranks before; make another mesh"));
      ++released;
    });
    {
      node_group g = new_group(slots, 0, 0.6);
      CHECK(contains(call(g), " s on its node for rank 1"));
      CHECK(contains(said([&] { g.begin({}); }), "ashlar: rank 10 has given up a collective among these ranks before"));
      operand[0] = 0;
      gave_up = true;
      while (released < 2) std::this_thread::yield();
    }
    second.join();
    third.join();
    CHECK(contains(late, "rank 12 waited"));
    CHECK(contains(late, "which has given up after an error"));
    CHECK(contains(patient, "rank 11 waited"));
    CHECK(contains(patient, "which has given up after an error"));
    // The slots serve again.
    std::atomic<int> wrong{0};
    std::vector<std::thread> again;
    std::vector<node_group::member> members;
    for (node_slot& s : slots) members.push_back({nullptr, &s, s.round(), {}, s.groups_left});
    for (int r : {0, 1, 2})
      again.emplace_back([&, r] {
        node_group g(r, members, {10, 0});
        for (std::uint64_t i = 1; i < 6; ++i) {
          g.arrive({i, 0, 0});
          for (int q : {0, 1, 2}) wrong += g.call(q).fingerprint != i;
          g.finish();
        }
      });
    for (std::thread& t : again) t.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("node_group: who is late at the end of a round learns it there") {
  std::vector<node_slot> slots(2);
  std::atomic<bool> gave_up{false};
  std::string late;
  int result = 0;
  std::thread second([&] {
    node_group g = new_group(slots, 1, 0);
    g.arrive({});
    while (!gave_up) std::this_thread::yield();
    *g.destination<int>(0) = 7;
    g.finish();
    late = said([&] { g.wait_until_all_are_done(); });
  });
  node_group g = new_group(slots, 0, 0.6);
  g.arrive({0, 0, address(&result)});
  g.finish();
  CHECK(contains(said([&] { g.wait_until_all_are_done(); }),
                 "for rank 11, which has not come to its end; collectives begun here: 1, there: 1"));
  gave_up = true;
  second.join();
  CHECK(contains(late, "for rank 10, which has given up after an error"));
  CHECK(result == 7);
}

namespace {
thread_local std::vector<node_group::left_slot> left_by_this_rank;
}

TEST_CASE("node_group: operands lie open while other groups come and go in the slots of those before") {
  constexpr int ranks = 3;
  std::vector<node_slot> slots(ranks);
  std::array<std::atomic<node_slot*>, 40 * ranks> taken{};
  std::atomic<int> wrong{0}, made{0};
  on_ranks(slots, 0, true, [&](node_group& g, auto nap) {
    auto const r = static_cast<std::size_t>(g.rank());
    std::vector<std::unique_ptr<node_slot>> own;
    auto const take = [&] {
      auto const free =
          std::find_if(left_by_this_rank.begin(), left_by_this_rank.end(), [](auto const& s) { return s.is_free(); });
      if (free == left_by_this_rank.end()) {
        ++made;
        return own.emplace_back(std::make_unique<node_slot>()).get();
      }
      node_slot* const s = free->slot;
      left_by_this_rank.erase(free);
      return s;
    };
    std::vector<float> x(3000);
    for (int i = 0; i < 40; ++i) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = element(i, g.rank(), k);
      bool const copied = i % 2 == 1;
      if (copied) std::memcpy(g.inline_memory(), x.data(), 1000 * sizeof(float));
      g.begin({1, copied ? address(g.inline_memory()) : address(x.data()), 0});
      nap();
      {
        auto* const all = &taken[static_cast<std::size_t>(i * ranks)];
        node_slot* const mine = take();
        all[r] = mine;
        std::vector<node_group::member> members;
        for (int q = 0; q < ranks; ++q) {
          node_slot* s = nullptr;
          while ((s = all[q]) == nullptr) std::this_thread::yield();
          members.push_back({nullptr, s, s->round(), {}, s->groups_left});
        }
        // What all have read of the slots, as MPI's gather does for them.
        static std::array<std::atomic<int>, 40> read{};
        ++read[static_cast<std::size_t>(i)];
        while (read[static_cast<std::size_t>(i)] % ranks != 0) std::this_thread::yield();
        node_group other(g.rank(), std::move(members), {100, 0},
                         [](node_group::left_slot s) { left_by_this_rank.push_back(std::move(s)); });
        for (int round = 0; round < 2; ++round) {
          int const mark = 10 * i + round + g.rank();
          std::memcpy(other.inline_memory(), &mark, sizeof mark);
          other.arrive({2, address(other.inline_memory()), 0});
          nap();
          for (int q = 0; q < ranks; ++q) {
            int found = 0;
            std::memcpy(&found, other.source<int>(q), sizeof found);
            wrong += found != 10 * i + round + q;
          }
          other.finish();
        }
      }
      nap();
      while (!g.all_have_arrived()) std::this_thread::yield();
      g.wait_until_all_have_arrived();
      combine_sources(g, combination_of<op::sum, float>, 0, copied ? 1000 : x.size(),
                      [&](std::size_t begin, std::byte const* bytes, std::size_t m) {
                        auto const* const sum = reinterpret_cast<float const*>(bytes);
                        for (std::size_t k = 0; k < m; ++k) wrong += sum[k] != total(i, ranks, begin + k);
                      });
      g.finish();
      if (!copied) g.wait_until_all_are_done();
    }
    // A slot is the others' to read until they have left its group, too.
    while (!std::all_of(left_by_this_rank.begin(), left_by_this_rank.end(), [](auto const& s) { return s.is_free(); }))
      std::this_thread::yield();
    static std::atomic<int> ended{0};
    ++ended;
    while (ended % ranks != 0) std::this_thread::yield();
    left_by_this_rank.clear();
  });
  CHECK(wrong == 0);
  CHECK(made < 40 * ranks);
}
