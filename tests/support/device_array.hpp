// Arrays in the execution space's memory for tests of local kernels.
#pragma once
#include "ashlar/kernels/scratch.hpp"
#include <Kokkos_Core.hpp>
#include <type_traits>
#include <vector>

namespace ashlar::test {

using space = Kokkos::DefaultExecutionSpace;
template <class T>
using device_array = Kokkos::View<T*, space>;

template <class T>
device_array<T> to_device(std::vector<T> const& v) {
  device_array<T> d("test", v.size());
  Kokkos::deep_copy(d, Kokkos::View<T const*, Kokkos::HostSpace>(v.data(), v.size()));
  return d;
}

template <class T>
std::vector<T> to_host(device_array<T> const& d) {
  std::vector<T> v(d.size());
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(v.data(), v.size()), d);
  return v;
}

// Allocates new memory of a space in each call.
template <class Space = space>
inline constexpr kernels::scratch_memory new_scratch([](std::size_t bytes) -> std::shared_ptr<void> {
  using memory = typename Space::memory_space;
  if constexpr (std::is_same_v<memory, Kokkos::HostSpace>)
    return std::make_shared_for_overwrite<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
  else
    return {Kokkos::kokkos_malloc<memory>(bytes), [](void* at) { Kokkos::kokkos_free<memory>(at); }};
});

}  // namespace ashlar::test
