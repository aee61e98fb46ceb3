// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/collective_scope.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE collective_scope::~collective_scope() {
  if (entered_) end();
}

ASHLAR_INLINE void collective_scope::enter() {
  require_mpi();
  event_.bytes = 0;  // were counted when it began
  collective_.enter();
  begin();
}

ASHLAR_INLINE void collective_scope::leave() {
  end();
  collective_.leave();
}

ASHLAR_INLINE comm_detail::collective_event collective_scope::named(comm_detail::collective_event e, char const* name) {
  e.name = name;
  return e;
}

ASHLAR_INLINE comm_detail::collective_event const& collective_scope::begun(comm_detail::collective_event const& e) {
  comm_detail::require_mpi(e.name ? e.name : to_text(e.what));
  return e;
}

ASHLAR_INLINE void collective_scope::begin() {
  entered_ = true;
  comm_detail::collective_log::instance().begin(event_);
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::pushRegion("ashlar::" + comm_detail::to_string(event_));
}

ASHLAR_INLINE void collective_scope::end() {
  entered_ = false;
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
  comm_detail::collective_log::instance().end();
}

}  // namespace ashlar::tensor_detail
