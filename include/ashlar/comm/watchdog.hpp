// SPDX-License-Identifier: BSL-1.0
// Reports where a rank is stuck.
#pragma once
#include <memory>

namespace ashlar::comm {

/// A thread that checks whether this process has been in one collective for too long. If so, it reports on stderr, once
/// per collective: rank, collective, axes, line, seconds, and the last 64 collectives. It then ends the process if
/// `ends_the_run`. It makes no MPI calls.
/// Example: comm::watchdog const dog(m.rank(), {.seconds = 60});
class watchdog {
 public:
  struct settings {
    double seconds = 0;         ///< 0: no checks.
    bool ends_the_run = false;  ///< by std::abort; the launcher then ends the other ranks.
    char const* limit = "";     ///< ends the report's sentence: what the seconds are.

    /// Reads $ASHLAR_WATCHDOG: "60" or "60,abort". Error: ashlar::error if it is something else.
    static settings from_environment();
  };

  watchdog(int rank, settings const& s);
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog();

 private:
  class worker;
  std::unique_ptr<worker> worker_;
};

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/impl/watchdog.ipp"
#endif
