// Arrays in the execution space's memory for tests of local kernels.
#pragma once
#include <Kokkos_Core.hpp>
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

}  // namespace ashlar::test
