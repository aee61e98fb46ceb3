// SPDX-License-Identifier: BSL-1.0
// The log of this process' collectives, for the watchdog, for traces and for error reports.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/waiting.hpp"
#include "ashlar/plan/step.hpp"

namespace ashlar::comm_detail {

/// A collective that a process has begun, or another call of all ranks of a mesh. Bit a of `axes` is the axis
/// `names[a]`.
struct collective_event {
  collective what = collective::permute;
  axis_mask axes = 0;
  char const* const* names = nullptr;
  std::uint64_t bytes = 0;  ///< received by this rank.
  char const* file = nullptr;
  unsigned line = 0;
  double begin = 0, end = 0;   ///< seconds of the monotonic clock; set only while a trace is kept.
  char const* name = nullptr;  ///< of a call that is no collective; else null.
};

/// "all_reduce over data".
inline std::string call_text(collective_event const& e) {
  std::string axes;
  for (int a = 0; a < max_axes; ++a)
    if (e.axes >> a & 1u) axes += (axes.empty() ? " over " : "+") + std::string(e.names[a]);
  return (e.name == nullptr ? to_text(e.what) : e.name) + axes;
}

/// "mlp.cpp:70".
inline std::string line_text(collective_event const& e) {
  std::string_view const path = e.file == nullptr ? "" : e.file;
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(e.line);
}

/// "all_reduce over data, mlp.cpp:70". A call without a line is its name alone.
inline std::string to_string(collective_event const& e) {
  return e.line == 0 ? call_text(e) : call_text(e) + ", " + line_text(e);
}

/// The collectives of this process: always the last 64, and all while a trace is kept. Any thread may call begun, done
/// and event. Only one thread at a time begins collectives.
class collective_log {
 public:
  static constexpr std::uint64_t remembered = 64;

  static collective_log& instance() {
    static collective_log* const log = new collective_log;  // never destroyed: other threads may read it to the end
    return *log;
  }

  void begin(collective_event const& e) {
    std::uint64_t const n = begun_.load(std::memory_order_relaxed);
    words of_event;
    std::memcpy(of_event.data(), &e, sizeof e);
    slot& s = last_[n % last_.size()];
    for (std::size_t i = 0; i < s.size(); ++i) s[i].store(of_event[i], std::memory_order_relaxed);
    begun_.store(n + 1, std::memory_order_release);
    if (tracing_.load(std::memory_order_relaxed)) {
      kept_.push_back(e);
      kept_.back().begin = clock_seconds();
    }
  }
  /// Ends the collective that began last among the collectives that have not ended.
  void end() {
    done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    if (!tracing_.load(std::memory_order_relaxed)) return;
    std::size_t open = kept_.size();
    while (open != 0 && kept_[open - 1].end != 0) --open;
    if (open != 0) kept_[open - 1].end = clock_seconds();
  }

  /// The numbers of collectives begun and ended so far.
  std::uint64_t begun() const { return begun_.load(std::memory_order_acquire); }
  std::uint64_t done() const { return done_.load(std::memory_order_acquire); }
  /// Collective number n, from 0. Pre: it is among the last 64 begun.
  collective_event event(std::uint64_t n) const {
    slot const& s = last_[n % last_.size()];
    words of_event;
    for (std::size_t i = 0; i < s.size(); ++i) of_event[i] = s[i].load(std::memory_order_relaxed);
    collective_event e;
    std::memcpy(static_cast<void*>(&e), of_event.data(), sizeof e);
    return e;
  }

  /// The text of the collective that began last.
  std::string last_text() const {
    return begun() == 0 ? "a call outside of the library" : to_string(event(begun() - 1));
  }

  /// Starts or stops keeping every collective with its times. Starting discards the collectives kept before.
  void trace(bool on) {
    if (on) kept_.clear();
    tracing_.store(on, std::memory_order_relaxed);
  }
  std::vector<collective_event> const& kept() const { return kept_; }

 private:
  // The words of an event: other threads may read them while this one writes the next event.
  using words = std::array<std::uint64_t, sizeof(collective_event) / sizeof(std::uint64_t)>;
  using slot = std::array<std::atomic<std::uint64_t>, words().size()>;
  static_assert(sizeof(words) == sizeof(collective_event) && std::is_trivially_copyable_v<collective_event>);

  std::array<slot, 2 * remembered> last_{};  // twice 64: collectives may begin while a thread reads the last 64
  std::atomic<std::uint64_t> begun_{0}, done_{0};
  std::atomic<bool> tracing_{false};
  std::vector<collective_event> kept_;
};

}  // namespace ashlar::comm_detail
