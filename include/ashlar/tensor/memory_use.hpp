// The memory that tensors take.
#pragma once
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
template <class Space = Kokkos::DefaultExecutionSpace>
memory_use memory_in_use() {
  using pool = tensor_detail::pool<typename Space::memory_space>;
  return {pool::in_use(), pool::peak()};
}
template <class Space = Kokkos::DefaultExecutionSpace>
void reset_peak_memory() {
  tensor_detail::pool<typename Space::memory_space>::reset_peak();
}

}  // namespace ashlar
