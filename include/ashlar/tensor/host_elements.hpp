// SPDX-License-Identifier: BSL-1.0
// The elements of a shard in memory of the host.
#pragma once
#include <cstring>
#include "ashlar/kernels/strided_copy.hpp"

namespace ashlar::tensor_detail {

template <class Space>
inline constexpr bool lies_on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// Copies bytes of a shard to memory of the host. Waits for the kernels of the space.
template <class Space>
void copy_to_host(void const* shard, void* host, std::size_t bytes) {
  if constexpr (lies_on_host<Space>) {
    Space{}.fence("ashlar: before the host reads");
    std::memcpy(host, shard, bytes);
  } else {
    Kokkos::deep_copy(Space{}, unmanaged<Kokkos::DefaultHostExecutionSpace, char>(static_cast<char*>(host), bytes),
                      unmanaged<Space, char const>(static_cast<char const*>(shard), bytes));
    Space{}.fence("ashlar: before the host reads");
  }
}

/// n elements of a shard, where the host reads and writes them. They stay in place if that is memory of the host; else
/// they are a copy. Their bytes move: a copy of elements by Kokkos would instantiate 660 templates for each type.
template <class Space, class T>
class host_elements {
 public:
  host_elements(T* shard, index_t n) : shard_(shard), n_(static_cast<std::size_t>(n)) {
    if constexpr (!in_place)
      copy_ = host_bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::host_elements"), n_ * sizeof(T));
  }
  T* data() const {
    if constexpr (in_place)
      return shard_;
    else
      return reinterpret_cast<T*>(copy_.data());
  }
  std::size_t size() const { return n_; }
  /// Waits for the kernels of the space, and has what they wrote.
  void read() const {
    if constexpr (in_place)
      Space{}.fence("ashlar: before the host reads");
    else
      copy_to_host<Space>(shard_, copy_.data(), copy_.size());
  }
  /// Gives the shard what the host wrote.
  void write() const {
    if constexpr (!in_place)
      Kokkos::deep_copy(unmanaged<Space, char>(reinterpret_cast<char*>(shard_), copy_.size()), copy_);
  }

 private:
  static constexpr bool in_place = lies_on_host<Space>;
  using host_bytes = Kokkos::View<char*, Kokkos::HostSpace>;
  struct nothing {};
  T* shard_;
  std::size_t n_;
  [[no_unique_address]] std::conditional_t<in_place, nothing, host_bytes> copy_;
};

/// The elements in memory that the host reads.
template <class Space, class T>
host_elements<Space, T> on_host(T* data, index_t n) {
  host_elements<Space, T> const elements(data, n);
  elements.read();
  return elements;
}

/// Writes a shard from the host by fill(elements).
template <class X, class Fill>
void fill_from_host(X const& x, Fill const& fill) {
  host_elements<typename X::execution_space, typename X::element_type> const elements(cells_of(x), x.local_size());
  fill(elements.data());
  elements.write();
}

}  // namespace ashlar::tensor_detail
