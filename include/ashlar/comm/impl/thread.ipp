// SPDX-License-Identifier: BSL-1.0
// The functions of comm/thread.hpp.
#include <cmath>
#include <cstring>
#include <ctime>
#include <string>

namespace ashlar::comm_detail {

ASHLAR_INLINE void joined_thread::start(void (*run)(void*), void* object) {
  run_ = run;
  object_ = object;
  auto const call = [](void* self) noexcept -> void* {
    auto const& thread = *static_cast<joined_thread const*>(self);
    thread.run_(thread.object_);
    return nullptr;
  };
  if (int const failed = pthread_create(&thread_, nullptr, call, this); failed != 0) {
    std::size_t stack = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_destroy(&attributes);
    throw error("ashlar: the memory, or the limit of threads, does not suffice for a thread more with a stack of " +
                std::to_string(stack) + " bytes: " + std::strerror(failed));
  }
  started_ = true;
}

#if ASHLAR_LINUX
inline constexpr clockid_t clock_of_conditions = CLOCK_MONOTONIC;
#else
inline constexpr clockid_t clock_of_conditions = CLOCK_REALTIME;  // macOS has no pthread_condattr_setclock
#endif

ASHLAR_INLINE condition::condition() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#if ASHLAR_LINUX
  pthread_condattr_setclock(&attributes, clock_of_conditions);
#endif
  pthread_cond_init(&condition_, &attributes);
  pthread_condattr_destroy(&attributes);
}

ASHLAR_INLINE bool condition::wait_for(std::unique_lock<std::mutex>& lock, double seconds) {
  timespec end{};
  clock_gettime(clock_of_conditions, &end);
  double const whole = std::floor(seconds);
  end.tv_sec += static_cast<std::time_t>(whole);
  end.tv_nsec += static_cast<long>((seconds - whole) * 1e9);
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    ++end.tv_sec;
  }
  return pthread_cond_timedwait(&condition_, lock.mutex()->native_handle(), &end) == 0;
}

}  // namespace ashlar::comm_detail
