// SPDX-License-Identifier: BSL-1.0
// Computes results before they are needed, on a thread.
#pragma once
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

#include "ashlar/comm/thread.hpp"

namespace ashlar::datasets {

/// Calls produce() repeatedly on its own thread. It keeps up to `depth` results until take() gets them, so memory is
/// bounded. The thread is for work in host memory: only the main thread may call the library's MPI and its kernels.
/// Pre: depth >= 1. Until the destructor returns, nobody else calls produce or writes the data that it reads.
/// Post: take() returns the results in the order of the calls.
/// Error: if produce throws, take() throws the same in place of the result, and again in each later call. produce is
/// not called any more.
/// Example: datasets::read_ahead<std::vector<float>> rows(2, [&] { return read_next(file); }); auto const first = rows.take();
template <class T>
class read_ahead {
 public:
  read_ahead(std::size_t depth, std::function<T()> produce) : depth_(depth), produce_(std::move(produce)) {
    thread_.start([](void* self) { static_cast<read_ahead*>(self)->run(); }, this);
  }
  read_ahead(read_ahead const&) = delete;
  read_ahead& operator=(read_ahead const&) = delete;
  /// Waits for the call in progress. Drops results that were not taken.
  ~read_ahead() {
    {
      std::lock_guard const lock(mutex_);
      stopped_ = true;
    }
    room_.notify_one();
    thread_.join();
  }

  /// Returns the next result; waits for it.
  T take() {
    std::unique_lock lock(mutex_);
    while (results_.empty() && !failure_) result_.wait(lock);
    if (results_.empty()) std::rethrow_exception(failure_);
    T taken = std::move(results_.front());
    results_.pop_front();
    lock.unlock();
    room_.notify_one();
    return taken;
  }

 private:
  void run() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        while (!stopped_ && results_.size() >= depth_) room_.wait(lock);
        if (stopped_) return;
      }
      try {
        T made = produce_();
        std::lock_guard const lock(mutex_);
        results_.push_back(std::move(made));
      } catch (...) {
        std::lock_guard const lock(mutex_);
        failure_ = std::current_exception();
      }
      result_.notify_one();
      if (failure_) return;  // only this thread writes it
    }
  }

  std::size_t depth_;
  std::function<T()> produce_;
  std::mutex mutex_;
  comm_detail::condition room_, result_;
  std::list<T> results_;
  std::exception_ptr failure_;
  bool stopped_ = false;
  comm_detail::joined_thread thread_;  // the last member: it is joined before the others end
};

}  // namespace ashlar::datasets
