// SPDX-License-Identifier: BSL-1.0
// The templates that depend on the element type alone, for the usual types. Only the library ashlar::instantiated has them.
#pragma once
#include "ashlar/tensor/stencils/halo.hpp"
#include "ashlar/tensor/run_step.hpp"

#ifdef ASHLAR_INSTANTIATED
namespace ashlar::kernels_detail {
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_STRIDED_COPIES, )
}  // namespace ashlar::kernels_detail

namespace ashlar::tensor_detail {
template class storage<Kokkos::HostSpace>;
template class pool<Kokkos::HostSpace>;
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_STEPS, )
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_HALOS, )
}  // namespace ashlar::tensor_detail
#endif
