// SPDX-License-Identifier: BSL-1.0
// Launches of kernels: whole ranges on the host, element by element on a device.
#pragma once
#include "ashlar/config.hpp"
#if !__has_include(<Kokkos_Core.hpp>)
#error \
    "ashlar::kernels: Kokkos is needed and Kokkos_Core.hpp is not found; run scripts/setup or set Kokkos_ROOT, and link ashlar::tensor"
#include <missing/Kokkos_Core.hpp>  // ends the compilation here
#endif
#if defined(__NVCC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error \
    "ashlar::kernels: nvcc compiles calls of constexpr functions in kernels only with --expt-relaxed-constexpr; add it, or link ashlar::tensor"
#include <missing/expt_relaxed_constexpr>  // ends the compilation here
#endif
#include <Kokkos_Core.hpp>
#if defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 13 && KOKKOS_VERSION == 40700 && \
    !defined(KOKKOS_ENABLE_IMPL_VIEW_LEGACY)
#error \
    "ashlar::kernels: in code of nvcc 13 for devices, a View of Kokkos 4.7.0 has another size than on the host; take Kokkos 4.7.1 or newer, or configure it with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON"
#include <missing/fitting_views_of_kokkos>  // ends the compilation here
#endif
#include <algorithm>
#include <atomic>
#include <exception>

// Precedes a loop whose iterations do not depend on each other, if restrict would forbid in-place use. Clang's pragma
// warns of every loop that does not vectorise, so clang gets none and leaves in-place loops scalar.
#if defined(__GNUC__) && !defined(__clang__)
#define ASHLAR_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ASHLAR_INDEPENDENT
#endif

namespace ashlar::kernels_detail {

/// True for execution spaces whose kernels end within the launching call and read host memory. Only there a plain loop
/// keeps its order among the kernels of an instance without a fence. False for a class derived from such a space: its
/// kernels are the ones of devices, and run on the host. So tests compare both.
template <class Space>
inline constexpr bool runs_in_caller = false;
#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool runs_in_caller<Kokkos::Serial> = true;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool runs_in_caller<Kokkos::OpenMP> = true;
#endif
#ifdef KOKKOS_ENABLE_THREADS
template <>
inline constexpr bool runs_in_caller<Kokkos::Threads> = true;
#endif

/// The number of elements that is worth a further thread (a launch takes 0.4 to 0.8 us).
inline constexpr index_t elements_per_thread = 4096;

/// Shows the code until the end of the scope to Kokkos' tools, under the label of a kernel. (Launches by Kokkos show
/// themselves.) Cost: one test whether a tool is loaded.
class kernel_region {
 public:
  explicit kernel_region(char const* label) : shown_(Kokkos::Tools::profileLibraryLoaded()) {
    if (shown_) Kokkos::Profiling::pushRegion(label);
  }
  kernel_region(kernel_region const&) = delete;
  kernel_region& operator=(kernel_region const&) = delete;
  ~kernel_region() {
    if (shown_) Kokkos::Profiling::popRegion();
  }

 private:
  bool shown_;
};

/// The instance as Kokkos takes it, if the type is derived from one of Kokkos' execution spaces.
template <class Space>
typename Space::execution_space const& instance_of(Space const& space) {
  return space;
}

/// What a function on several threads has thrown first. (Thrown out of a thread, it would end the process.)
class first_exception {
 public:
  /// Keeps the exception that is being handled, if none is kept. Any thread may call it.
  void keep() noexcept {
    if (!taken_.test_and_set()) kept_ = std::current_exception();
  }
  /// Pre: the threads have ended.
  void rethrow() const {
    if (kept_) std::rethrow_exception(kept_);
  }

 private:
  std::atomic_flag taken_;
  std::exception_ptr kept_;
};

/// A function of a range [begin, end) without its type, so that the launch by Kokkos is compiled once for all of them.
struct range_body {
  void (*call)(void const* body, index_t begin, index_t end);
  void const* body;
  index_t n, parts;
  first_exception* failure;
  void operator()(index_t part) const {
    try {
      call(body, n * part / parts, n * (part + 1) / parts);
    } catch (...) {
      failure->keep();
    }
  }
};

template <class Body>
void call_range(void const* body, index_t begin, index_t end) {
  (*static_cast<Body const*>(body))(begin, end);
}

/// Calls body(begin, end) on ranges that make up [0, n): at most one per thread, and none smaller than `grain`. A
/// single range is a plain call in a kernel_region: a launch would cost more than most small kernels.
/// Pre: runs_in_caller<Space>. Error: what body throws; on several threads, what one of them has thrown.
template <class Space>
void run_ranges(char const* label, Space const& space, index_t grain, range_body body) {
  body.parts = std::min<index_t>(space.concurrency(), body.n / std::max<index_t>(grain, 1));
  if (body.parts > 1) {
    first_exception failure;
    body.failure = &failure;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>>(space, 0, body.parts), body);
    failure.rethrow();
  } else if (body.n > 0) {
    kernel_region const here(label);
    body.call(body.body, 0, body.n);
  }
}
template <class Space, class Body>
void for_ranges(char const* label, Space const& space, index_t n, index_t grain, Body const& body) {
  run_ranges(label, space, grain, {call_range<Body>, &body, n, 1, nullptr});
}

/// The number of threads in a team. Tests overload it for a space of theirs.
template <class Space>
auto lanes_per_team(Space const&) {
  return Kokkos::AUTO;
}
/// A launch of `count` teams. Pre: count fits int
template <class Space>
auto teams(Space const& space, index_t count) {
  return Kokkos::TeamPolicy<typename Space::execution_space>(space, static_cast<int>(count), lanes_per_team(space));
}

/// Runs kernel(i) for i in [0, n).
template <class Space, class Kernel>
void for_elements(char const* label, Space const& space, index_t n, Kernel const& kernel) {
  using policy = Kokkos::RangePolicy<typename Space::execution_space, Kokkos::IndexType<index_t>>;
  if (n > 0) Kokkos::parallel_for(label, policy(space, 0, n), kernel);
}

}  // namespace ashlar::kernels_detail
