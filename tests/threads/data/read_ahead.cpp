// Results that a thread makes ahead: their order, how many there are, errors and ends, as the thread sanitizer sees them.
#include "ashlar/data/read_ahead.hpp"
#include "ashlar/meta/error.hpp"
#include <doctest/doctest.h>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace ashlar;
using namespace ashlar::datasets;

namespace {

void wait_for(std::atomic<int> const& n, int least) {
  while (n < least) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

TEST_CASE("results come in the order of the calls, each once, whoever is slower") {
  for (std::size_t depth : {1u, 2u, 7u})
    for (bool slow_maker : {false, true}) {
      int made = 0;
      read_ahead<std::unique_ptr<int>> ahead(depth, [&] {
        if (slow_maker && made % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
        return std::make_unique<int>(made++);
      });
      for (int i = 0; i < 200; ++i) {
        if (!slow_maker && i % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
        CHECK(*ahead.take() == i);
      }
    }
}

TEST_CASE("no more than depth results wait, and one is being made") {
  for (int depth : {1, 3}) {
    std::atomic<int> made = 0;
    read_ahead<int> ahead(static_cast<std::size_t>(depth), [&] { return made++; });
    for (int taken = 0; taken < 20; ++taken) {
      wait_for(made, taken + depth);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // time in which a wrong one would make more
      CHECK(made == taken + depth);
      CHECK(ahead.take() == taken);
    }
  }
}

TEST_CASE("an exception comes in its place, and again; nothing is made after it") {
  std::atomic<int> calls = 0;
  read_ahead<std::string> ahead(4, [&]() -> std::string {
    if (++calls == 3) throw error("the third cannot be read");
    return std::to_string(calls);
  });
  CHECK(ahead.take() == "1");
  CHECK(ahead.take() == "2");
  for (int i = 0; i < 3; ++i) CHECK_THROWS_WITH_AS(ahead.take(), "the third cannot be read", error);
  CHECK(calls == 3);
}

TEST_CASE("it ends at once: full, empty, in the middle of a call, failed, and untouched") {
  for (int i = 0; i < 50; ++i) {
    std::vector<int> read(1000, i);  // what the thread reads is there until the destructor has returned
    std::atomic<int> calls = 0;
    {
      read_ahead<int> const untouched(2, [&] { return read[static_cast<std::size_t>(++calls) % read.size()]; });
      if (i % 2 == 0) wait_for(calls, 1);
    }
    {
      read_ahead<int> slow(2, [&] {
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        return read.back();
      });
      if (i % 2 == 0) CHECK(slow.take() == i);
    }
    {
      read_ahead<int> const fails(1, []() -> int { throw error("no"); });
    }
    read.assign(1000, -1);
  }
}
