// SPDX-License-Identifier: BSL-1.0
// The log of this process' collectives, for the watchdog, for traces and for error reports.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/clock.hpp"
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
ASHLAR_INLINE std::string call_text(collective_event const& e);
/// "mlp.cpp:70".
ASHLAR_INLINE std::string line_text(collective_event const& e);
/// "all_reduce over data, mlp.cpp:70". A call without a line is its name alone.
ASHLAR_INLINE std::string to_string(collective_event const& e);

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
    slot& s = last_[n % last_.size()];
    s.what.store(static_cast<int>(e.what), std::memory_order_relaxed);
    s.axes.store(e.axes, std::memory_order_relaxed);
    s.names.store(e.names, std::memory_order_relaxed);
    s.bytes.store(e.bytes, std::memory_order_relaxed);
    s.file.store(e.file, std::memory_order_relaxed);
    s.line.store(e.line, std::memory_order_relaxed);
    s.name.store(e.name, std::memory_order_relaxed);
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
    collective_event e;
    e.what = static_cast<collective>(s.what.load(std::memory_order_relaxed));
    e.axes = s.axes.load(std::memory_order_relaxed);
    e.names = s.names.load(std::memory_order_relaxed);
    e.bytes = s.bytes.load(std::memory_order_relaxed);
    e.file = s.file.load(std::memory_order_relaxed);
    e.line = s.line.load(std::memory_order_relaxed);
    e.name = s.name.load(std::memory_order_relaxed);
    return e;
  }

  /// The text of the collective that began last.
  std::string last_text() const;

  /// Starts or stops keeping every collective with its times. Starting discards the collectives kept before.
  void trace(bool on) {
    if (on) kept_.clear();
    tracing_.store(on, std::memory_order_relaxed);
  }
  std::vector<collective_event> const& kept() const { return kept_; }

 private:
  struct slot {
    std::atomic<int> what{0};
    std::atomic<axis_mask> axes{0};
    std::atomic<char const* const*> names{nullptr};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<char const*> file{nullptr};
    std::atomic<unsigned> line{0};
    std::atomic<char const*> name{nullptr};
  };
  std::array<slot, 2 * remembered> last_;  // twice 64: collectives may begin while a thread reads the last 64
  std::atomic<std::uint64_t> begun_{0}, done_{0};
  std::atomic<bool> tracing_{false};
  std::vector<collective_event> kept_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/impl/collective_log.ipp"
#endif
