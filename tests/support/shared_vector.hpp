// Arrays that the host and kernels of the default execution space both read and write, for tests of local kernels.
#pragma once
#include <Kokkos_Core.hpp>
#include <vector>

namespace ashlar::test {

template <class T>
struct shared_allocator {
  using value_type = T;
  shared_allocator() = default;
  template <class U>
  shared_allocator(shared_allocator<U> const&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(Kokkos::kokkos_malloc<Kokkos::SharedSpace>(n * sizeof(T))); }
  void deallocate(T* p, std::size_t) { Kokkos::kokkos_free<Kokkos::SharedSpace>(p); }
  friend bool operator==(shared_allocator, shared_allocator) { return true; }
};

/// A vector that the host may access after a fence: the kernels that access it must have ended.
template <class T>
using shared_vector = std::vector<T, shared_allocator<T>>;

}  // namespace ashlar::test
