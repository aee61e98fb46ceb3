// SPDX-License-Identifier: BSL-1.0
// The functions of comm/watchdog.hpp.
#include <cstdlib>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

#include "ashlar/comm/collective_log.hpp"
#include "ashlar/comm/settings.hpp"
#include "ashlar/comm/thread.hpp"

namespace ashlar::comm {

ASHLAR_INLINE watchdog::settings watchdog::settings::from_environment() {
  auto const found = comm_detail::read_setting(
      "ASHLAR_WATCHDOG", "a number of seconds, as in 60 or 60,abort",
      [](std::string_view text) -> std::optional<settings> {
        constexpr std::string_view abort = ",abort";
        bool const ends = text.ends_with(abort);
        auto const n = comm_detail::number<double>(text.substr(0, text.size() - (ends ? abort.size() : 0)));
        if (!n || !(*n > 0)) return {};
        return settings{.seconds = *n, .ends_the_run = ends};
      });
  if (!found.wrong.empty()) throw error(found.wrong);
  return found.value.value_or(settings{});
}

class watchdog::worker {
 public:
  worker(int rank, settings const& s) : rank_(rank), settings_(s) {
    thread_.start([](void* self) { static_cast<worker*>(self)->look(); }, this);
  }
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker() {
    {
      std::lock_guard const lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void look() {
    comm_detail::collective_log const& log = comm_detail::collective_log::instance();
    std::uint64_t seen = log.begun(), said = 0;
    double since = comm_detail::clock_seconds();
    std::unique_lock lock(mutex_);
    double const pause = settings_.seconds < 1 ? settings_.seconds / 4 : 0.25;
    while (!stop_) {
      wake_.wait_for(lock, pause);
      if (stop_) return;
      std::uint64_t const begun = log.begun();
      if (begun != seen || log.done() == begun) {
        seen = begun;
        since = comm_detail::clock_seconds();
      } else if (double const waited = comm_detail::clock_seconds() - since;
                 waited > settings_.seconds && said != begun) {
        said = begun;
        report(log, begun, waited);
        if (settings_.ends_the_run) std::abort();
      }
    }
  }
  void report(comm_detail::collective_log const& log, std::uint64_t begun, double waited) const {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", waited);
    std::string text = "ashlar: rank " + std::to_string(rank_) + " has been in " + to_string(log.event(begun - 1)) +
                       " for " + seconds + " s" + settings_.limit + "; its last collectives, the latest first:\n";
    // The steps of a program repeat, so equal neighbours share one line.
    std::uint64_t const first =
        begun > comm_detail::collective_log::remembered ? begun - comm_detail::collective_log::remembered : 0;
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
  comm_detail::condition wake_;
  bool stop_ = false;
  comm_detail::joined_thread thread_;  // last: it uses the others
};

ASHLAR_INLINE watchdog::watchdog(int rank, settings const& s) {
  if (s.seconds > 0) worker_ = std::make_unique<worker>(rank, s);
}

ASHLAR_INLINE watchdog::~watchdog() = default;

}  // namespace ashlar::comm
