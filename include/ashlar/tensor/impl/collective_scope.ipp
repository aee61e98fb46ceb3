// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/collective_scope.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE void collective_scope::enter() {
  collective_.enter();
  begin_region();
}

ASHLAR_INLINE void collective_scope::leave() {
  end_region();
  collective_.leave();
}

ASHLAR_INLINE void collective_scope::begin_region() const {
  if (Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Profiling::pushRegion("ashlar::" + comm_detail::to_string(collective_.event()));
}

ASHLAR_INLINE void collective_scope::end_region() {
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
}

}  // namespace ashlar::tensor_detail
