// Whether tests may read the memory of tensors themselves.
#pragma once
#include "ashlar/tensor/device_probe.hpp"

namespace ashlar::test {

/// True if the host reads what tensors of the default execution space hold.
inline constexpr bool host_reads_tensors = tensor_detail::host_reads<Kokkos::DefaultExecutionSpace>;

}  // namespace ashlar::test
