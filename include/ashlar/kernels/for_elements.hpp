// How kernels start: whole ranges on the host, element by element on a device.
#pragma once
#include "ashlar/config.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>

// Stands before a loop whose iterations do not depend on each other, where restrict would forbid in-place use. Clang's
// word for it warns of every loop that does not vectorise; without it clang leaves in-place loops scalar.
#if defined(__GNUC__) && !defined(__clang__)
#define ASHLAR_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ASHLAR_INDEPENDENT
#endif

namespace ashlar::detail {

/// True for execution spaces whose kernels end within the launching call and read the host's memory. Only there a plain
/// loop takes its place among the kernels of an instance without a fence.
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

/// Elements for which a further thread is worth its start (0.4 to 0.8 us a launch).
inline constexpr index_t elements_per_thread = 4096;

/// Shows Kokkos' tools what runs until the end of the scope, under the label of a kernel. (Those that Kokkos launches show
/// themselves.) Cost: a look at whether a tool is loaded.
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

template <class Body>
struct range_part {
  Body const* body;
  index_t n, parts;
  void operator()(index_t part) const { (*body)(n * part / parts, n * (part + 1) / parts); }
};

/// Calls body(begin, end) on ranges that make up [0, n), at most one per thread and none smaller than `grain`. A single
/// range is a plain call, in a kernel_region: a launch would cost more than most small kernels do.
/// Pre: runs_in_caller<Space>
template <class Space, class Body>
void for_ranges(char const* label, Space const& space, index_t n, index_t grain, Body const& body) {
  index_t const parts = std::min<index_t>(space.concurrency(), n / std::max<index_t>(grain, 1));
  if (parts > 1) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>>(space, 0, parts),
                         range_part<Body>{&body, n, parts});
  } else if (n > 0) {
    kernel_region const here(label);
    body(index_t{0}, n);
  }
}

/// Runs kernel(i) for i in [0, n).
template <class Space, class Kernel>
void for_elements(char const* label, Space const& space, index_t n, Kernel const& kernel) {
  if (n > 0) Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>>(space, 0, n), kernel);
}

}  // namespace ashlar::detail
