// SPDX-License-Identifier: BSL-1.0
// A thread and a condition. The standard's headers <thread> and <condition_variable> bring locks, clocks and tokens that
// no program needs here; they are slow to parse.
#pragma once
#include <pthread.h>

#include <mutex>
#include <utility>

#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// A thread that calls one function. It is joined when it is destroyed.
class joined_thread {
 public:
  joined_thread() = default;
  joined_thread(joined_thread const&) = delete;
  joined_thread& operator=(joined_thread const&) = delete;
  ~joined_thread() { join(); }

  /// Starts the thread, which calls run(object). If an exception leaves `run`, the program ends by std::terminate.
  /// Pre: no thread is running.
  /// Error: ashlar::error if the system has no more threads, or no memory for the stack.
  void start(void (*run)(void*), void* object);

  /// Waits until the thread has ended. Does nothing if there is none.
  void join() {
    if (std::exchange(started_, false)) pthread_join(thread_, nullptr);
  }

 private:
  void (*run_)(void*) = nullptr;
  void* object_ = nullptr;
  pthread_t thread_ = {};
  bool started_ = false;
};

/// Threads wait here until another thread notifies them. They hold the lock of a std::mutex before and after.
/// A wait may also end without a reason, so callers check theirs in a loop.
class condition {
 public:
  condition();
  condition(condition const&) = delete;
  condition& operator=(condition const&) = delete;
  ~condition() { pthread_cond_destroy(&condition_); }

  void notify_one() { pthread_cond_signal(&condition_); }
  void wait(std::unique_lock<std::mutex>& lock) { pthread_cond_wait(&condition_, lock.mutex()->native_handle()); }

  /// Waits at most this number of seconds. On Linux the clock is monotonic.
  /// Post: false if the time has passed.
  bool wait_for(std::unique_lock<std::mutex>& lock, double seconds);

 private:
  pthread_cond_t condition_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/impl/thread.ipp"
#endif
