// SPDX-License-Identifier: BSL-1.0
// The decision whether MPI takes pointers into device memory.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/config.hpp"
#include "ashlar/comm/mpi.hpp"
#include "ashlar/comm/settings.hpp"
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace ashlar::comm_detail {

enum class device_kind { cuda, hip, sycl };

/// The MPI library's own statement whether it takes pointers into memory of such devices; nothing if it makes none.
inline std::optional<bool> library_takes_pointers_of([[maybe_unused]] device_kind k) {
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

/// The path of a device's tensors: directly from device memory, or staged through host memory.
struct device_pointers {
  bool direct = false;
  std::string because = "no ashlar::environment has asked";
};

/// Decides by $ASHLAR_GPU_AWARE (0 or 1), else by the library's own statement. A library that is to take pointers must
/// also move probe()'s messages whole. If one rank stages, all ranks do.
/// Collective: over all ranks of `all`. Either all of them call `probe`, or none does.
/// Cost: two all-reduces of 4 bytes, and the probe.
/// Error: ashlar::error on every rank if the variable has another value. The same if it is 1 and messages from device
///   memory do not arrive whole.
template <class Probe>
device_pointers decide_device_pointers(MPI_Comm all, std::optional<bool> library, Probe probe) {
  enum verdict { malformed, user_stages, library_stages, library_is_silent, library_takes, user_sends };
  auto const user = read_setting("ASHLAR_GPU_AWARE", "0 or 1", [](std::string_view text) {
    return text == "0" || text == "1" ? std::optional(text == "1") : std::nullopt;
  });
  auto const least = [all](int mine) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, all), "MPI_Allreduce");
    return mine;
  };
  int const verdict = least(!user.wrong.empty() ? malformed
                            : user.value        ? *user.value ? user_sends : user_stages
                            : !library          ? library_is_silent
                            : *library          ? library_takes
                                                : library_stages);
  switch (verdict) {
    case malformed:
      throw error("ashlar::environment: expected ASHLAR_GPU_AWARE to be 0 or 1 on every rank, found something else");
    case user_stages:
      return {false, "ASHLAR_GPU_AWARE=0"};
    case library_stages:
      return {false, "the MPI library says that it does not take device pointers"};
    case library_is_silent:
      return {false, "the MPI library does not say that it takes device pointers"};
  }
  bool const whole = least(probe()) != 0;
  if (!whole && verdict == user_sends)
    throw error(
        "ashlar::environment: ASHLAR_GPU_AWARE is 1, and a message from a device's memory did not arrive whole; leave it out, or take an MPI that is GPU-aware");
  if (!whole) return {false, "the MPI library says that it takes device pointers, and a message did not arrive whole"};
  return {true, verdict == user_sends ? "ASHLAR_GPU_AWARE=1, and messages arrive whole"
                                      : "the MPI library says so, and messages arrive whole"};
}

/// The decision for the devices of this program.
inline device_pointers device_memory;

}  // namespace ashlar::comm_detail
