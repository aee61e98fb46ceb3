// SPDX-License-Identifier: BSL-1.0
// The functions of comm/device_pointers.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE std::optional<bool> library_takes_pointers_of([[maybe_unused]] device_kind k) {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  if (k == device_kind::cuda) return MPIX_Query_cuda_support() == 1;
#endif
#ifdef MPIX_ROCM_AWARE_SUPPORT
  if (k == device_kind::hip) return MPIX_Query_rocm_support() == 1;
#endif
#ifdef MPIX_GPU_SUPPORT_CUDA
  int const kind = k == device_kind::cuda  ? MPIX_GPU_SUPPORT_CUDA
                   : k == device_kind::hip ? MPIX_GPU_SUPPORT_HIP
                                           : MPIX_GPU_SUPPORT_ZE;
  int takes = 0;
  if (MPIX_GPU_query_support(kind, &takes) == MPI_SUCCESS) return takes != 0;
#endif
  return {};
}

}  // namespace ashlar::comm_detail
