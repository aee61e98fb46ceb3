// SPDX-License-Identifier: BSL-1.0
// The memory that tensors take.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/storage.hpp"

namespace ashlar {

/// Bytes of this rank's tensors in the memory of Space, and of the scratch that collectives and operations take for a
/// while. Now, and the most at one time since reset_peak_memory(). The blocks that hold them are up to 25 % larger.
/// Adopted views do not count, nor does memory that MPI and BLAS take for themselves.
/// Collective: no; each rank by itself.
/// Cost: two additions per tensor.
/// Example: reset_peak_memory(); step(...); std::size_t const most = memory_in_use().peak;
struct memory_use {
  std::size_t bytes = 0, peak = 0;
};
/// The bytes of this rank's tensors and scratch memory now, and the most since reset_peak_memory().
/// Example: std::size_t const most = memory_in_use().peak;
template <class Space = Kokkos::DefaultExecutionSpace>
memory_use memory_in_use() {
  using pool = tensor_detail::pool<typename Space::memory_space>;
  return {pool::in_use(), pool::peak()};
}
/// Begins a new measurement of memory_in_use().peak.
/// Example: reset_peak_memory(); step(...); std::size_t const most = memory_in_use().peak;
template <class Space = Kokkos::DefaultExecutionSpace>
void reset_peak_memory() {
  tensor_detail::pool<typename Space::memory_space>::reset_peak();
}

/// Requires that the tensors of no rank of c took more bytes than its bound since reset_peak_memory().
/// Collective: all ranks of c.
/// Error: ashlar::error on every rank, with the bytes of one that took more.
/// Example: require_peak_memory(m.communicator(), 3 * bytes_of_parameters);
template <class Space = Kokkos::DefaultExecutionSpace>
void require_peak_memory(communicator const& c, std::size_t bound) {
  comm::collectively(c, [&] {
    if (std::size_t const peak = memory_in_use<Space>().peak; peak > bound)
      throw error("ashlar::require_peak_memory: a rank takes " + std::to_string(peak) +
                  " bytes, more than the bound of " + std::to_string(bound) + "; keep less, or raise the bound");
  });
}

/// The number of elements of the largest shard that a rank has of a tensor.
/// Example: largest_local_size<layout<"data", none>>(m, shape::of(10, 3)) is 9 on 4 ranks
template <class L, class M>
index_t largest_local_size(device_mesh<M> const& m, shape const& extents) {
  return layout_detail::largest_shard(extents, sharded_tensor<float, L, M>::layout, m.sizes());
}

}  // namespace ashlar
