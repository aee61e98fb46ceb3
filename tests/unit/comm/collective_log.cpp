// labels: sanitizers
// The log of collectives, and the dog that watches it.
#include "ashlar/comm/collective_log.hpp"
#include "ashlar/comm/watchdog.hpp"
#include "ashlar/meta/error.hpp"
#include <doctest/doctest.h>
#include "support/own_process.hpp"

using namespace ashlar;
using namespace ashlar::comm_detail;

namespace {

constexpr char const* names[]{"data", "model"};

collective_event event(collective what, unsigned line) {
  return {what, 0b11u, names, 64, "/some/where/step.cpp", line};
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

void pause_for(double seconds) { usleep(static_cast<useconds_t>(1e6 * seconds)); }

}  // namespace

TEST_CASE("collective_log: the last 64 collectives, as text") {
  collective_log log;
  for (unsigned n = 0; n < 100; ++n) {
    log.begin(event(n % 2 ? collective::all_gather : collective::all_reduce, n));
    CHECK(log.begun() == n + 1);
    CHECK(log.done() == n);
    log.end();
    CHECK(log.done() == n + 1);
  }
  for (unsigned n = 36; n < 100; ++n)
    CHECK(to_string(log.event(n)) ==
          (n % 2 ? "all_gather" : "all_reduce") + std::string(" over data+model, step.cpp:") + std::to_string(n));
}

TEST_CASE("collective_log: a trace keeps every collective with its times") {
  collective_log log;
  log.begin(event(collective::permute, 1));
  log.end();
  CHECK(log.kept().empty());
  log.trace(true);
  for (unsigned n = 0; n < 100; ++n) {
    log.begin(event(collective::all_reduce, n));
    log.end();
  }
  log.trace(false);
  log.begin(event(collective::permute, 1));
  log.end();
  REQUIRE(log.kept().size() == 100);
  double last = 0;
  for (unsigned n = 0; n < 100; ++n) {
    collective_event const& e = log.kept()[n];
    CHECK(e.line == n);
    CHECK(e.bytes == 64);
    CHECK(last <= e.begin);
    CHECK(e.begin <= e.end);
    last = e.end;
  }
}

TEST_CASE("watchdog: says once where the process is stuck, with what came before") {
  auto const [text, status] = test::written_by([] {
    ashlar::comm::watchdog const dog(3, {.seconds = 0.1});
    collective_log& log = collective_log::instance();
    for (unsigned n = 0; n < 5; ++n) {
      log.begin(event(collective::all_gather, 7));
      log.end();
    }
    log.begin(event(collective::all_reduce, 8));
    pause_for(0.5);
  });
  CHECK(status == 0);
  CHECK(count(text, "ashlar: rank 3 has been in all_reduce over data+model, step.cpp:8 for 0.") == 1);
  CHECK(
      text.find(
          "its last collectives, the latest first:\n  6: all_reduce over data+model, step.cpp:8\n  5: all_gather over data+model, step.cpp:7 (5 times)\n") !=
      text.npos);
}

TEST_CASE("watchdog: is silent while collectives go on, and between them") {
  auto const [text, status] = test::written_by([] {
    ashlar::comm::watchdog const dog(0, {.seconds = 1});
    collective_log& log = collective_log::instance();
    for (unsigned n = 0; n < 150; ++n) {
      log.begin(event(collective::all_reduce, 1));
      pause_for(0.01);
      log.end();
    }
    pause_for(1.5);
  });
  CHECK(status == 0);
  CHECK(text == "");
}

TEST_CASE("watchdog: ends the process where it is to") {
  auto const [text, status] = test::written_by([] {
    ashlar::comm::watchdog const dog(1, {.seconds = 0.1, .ends_the_run = true});
    collective_log::instance().begin(event(collective::reduce_scatter, 2));
    pause_for(30);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(text.find("ashlar: rank 1 has been in reduce_scatter over data+model, step.cpp:2") == 0);
}

TEST_CASE("watchdog: reads its variable, or says what is wrong with it") {
  auto const read = [](char const* text) {
    setenv("ASHLAR_WATCHDOG", text, 1);
    auto const s = ashlar::comm::watchdog::settings::from_environment();
    unsetenv("ASHLAR_WATCHDOG");
    return s;
  };
  CHECK(read("1.5").seconds == 1.5);
  CHECK(!read("1.5").ends_the_run);
  CHECK(read("60,abort").seconds == 60);
  CHECK(read("60,abort").ends_the_run);
  CHECK(read("").seconds == 0);
  for (char const* wrong : {"soon", "0", "-1", "5,stop", "5 s"}) {
    CHECK_THROWS_AS(static_cast<void>(read(wrong)), error);
    unsetenv("ASHLAR_WATCHDOG");
  }
}
