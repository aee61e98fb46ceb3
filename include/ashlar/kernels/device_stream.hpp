// SPDX-License-Identifier: BSL-1.0
// The device and the stream of an execution space, for the libraries of CUDA and HIP.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

namespace ashlar::kernels_detail {

inline int device_of(auto const& space) {
#if defined(KOKKOS_ENABLE_CUDA)
  return space.cuda_device();
#else
  return space.hip_device();
#endif
}
inline auto stream_of(auto const& space) {
#if defined(KOKKOS_ENABLE_CUDA)
  return space.cuda_stream();
#else
  return space.hip_stream();
#endif
}

}  // namespace ashlar::kernels_detail
#endif
