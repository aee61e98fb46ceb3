// Reports where a rank is stuck.
#pragma once
#include <condition_variable>
#include <thread>

#include "ashlar/comm/settings.hpp"
#include "ashlar/comm/collective_log.hpp"

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

    /// Reads $ASHLAR_WATCHDOG: "60" or "60,abort". Error: ashlar::error if it is something else.
    static settings from_environment() {
      auto const found = read_setting("ASHLAR_WATCHDOG", "a number of seconds, as in 60 or 60,abort",
                                      [](std::string_view text) -> std::optional<settings> {
                                        constexpr std::string_view abort = ",abort";
                                        bool const ends = text.ends_with(abort);
                                        auto const n =
                                            number<double>(text.substr(0, text.size() - (ends ? abort.size() : 0)));
                                        if (!n || !(*n > 0)) return {};
                                        return settings{*n, ends};
                                      });
      if (!found.wrong.empty()) throw error(found.wrong);
      return found.value.value_or(settings{});
    }
  };

  watchdog(int rank, settings const& s) : rank_(rank), settings_(s) {
    if (settings_.seconds > 0) thread_ = std::thread([this] { look(); });
  }
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard const lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void look() {
    collective_log const& log = collective_log::instance();
    std::uint64_t seen = log.begun(), said = 0;
    double since = now();
    std::unique_lock lock(mutex_);
    auto const pause = std::chrono::duration<double>(settings_.seconds < 1 ? settings_.seconds / 4 : 0.25);
    while (!wake_.wait_for(lock, pause, [this] { return stop_; })) {
      std::uint64_t const begun = log.begun();
      if (begun != seen || log.done() == begun) {
        seen = begun;
        since = now();
      } else if (double const waited = now() - since; waited > settings_.seconds && said != begun) {
        said = begun;
        report(log, begun, waited);
        if (settings_.ends_the_run) std::abort();
      }
    }
  }
  void report(collective_log const& log, std::uint64_t begun, double waited) const {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", waited);
    std::string text = "ashlar: rank " + std::to_string(rank_) + " has been in " + to_string(log.event(begun - 1)) +
                       " for " + seconds + " s; its last collectives, the latest first:\n";
    // The steps of a program repeat, so equal neighbours share one line.
    std::uint64_t const first = begun > collective_log::remembered ? begun - collective_log::remembered : 0;
    for (std::uint64_t n = begun; n > first;) {
      std::string const line = to_string(log.event(n - 1));
      std::uint64_t const last = n;
      do --n;
      while (n > first && to_string(log.event(n - 1)) == line);
      text += "  " + std::to_string(last) + ": " + line +
              (last - n > 1 ? " (" + std::to_string(last - n) + " times)\n" : "\n");
    }
    std::fputs(text.c_str(), stderr);
  }

  int rank_;
  settings settings_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ashlar::comm
