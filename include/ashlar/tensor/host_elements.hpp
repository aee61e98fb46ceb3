// The elements of a shard in memory of the host.
#pragma once
#include "ashlar/kernels/strided_copy.hpp"

namespace ashlar::tensor_detail {

template <class Space, class T>
auto host_mirror(T* data, index_t n) {
  return Kokkos::create_mirror_view(Kokkos::HostSpace{}, unmanaged<Space, T>(data, static_cast<std::size_t>(n)));
}

// Returns the elements in memory that the host reads: in place, if it can.
template <class Space, class T>
auto on_host(T* data, index_t n) {
  auto const copy = host_mirror<Space>(data, n);
  Kokkos::deep_copy(Space{}, copy, unmanaged<Space, T>(data, copy.size()));
  Space{}.fence("ashlar: before the host reads");
  return copy;
}

// Writes a shard from the host by fill(elements): in place if the host may write there, else by a copy.
template <class X, class Fill>
void fill_from_host(X const& x, Fill const& fill) {
  using space = typename X::execution_space;
  auto const own = host_mirror<space>(x.data(), x.local_size());
  fill(own.data());
  Kokkos::deep_copy(unmanaged<space, typename X::element_type>(x.data(), own.size()), own);
}

}  // namespace ashlar::tensor_detail
