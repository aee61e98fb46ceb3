// SPDX-License-Identifier: BSL-1.0
// A collective, from the moment a rank enters it until the rank leaves it.
#pragma once
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/kernels/for_elements.hpp"

namespace ashlar::tensor_detail {

/// Reports that a rank is in a collective: to the log of collectives, to ranks that ask, and to Kokkos' tools if
/// loaded. The rank may leave a collective that has begun and enter it again.
/// Error: ashlar::error if MPI is finalised.
class collective_scope {
 public:
  /// `fingerprint` is equal on all ranks that call the same.
  template <class M>
  collective_scope(device_mesh<M> const& m, plan_step const& s, std::uint64_t fingerprint, std::size_t bytes,
                   call_site const& w, collective_kind kind = collective_kind::blocks)
      : collective_scope(m, fingerprint, {.what = collective_of(s.what), .axes = s.axes, .bytes = bytes}, w) {
    comm_detail::state_of(m).count(collective_of(s.what));
    collective_.agree(m.communicator(s.axes), runs_in_caller<Kokkos::DefaultExecutionSpace>, kind);
  }
  /// A call of all ranks of the mesh that is no collective. The ranks wait for each other here. `name` lives as long as
  /// the program.
  /// Pre: there are at least 2 ranks. Error: ashlar::error on every rank if they do not call the same.
  template <class M>
  collective_scope(device_mesh<M> const& m, char const* name, std::uint64_t fingerprint, call_site const& w)
      : collective_scope(m, fingerprint, {.what = collective::exchange, .axes = mask_of(M::axes) - 1u, .name = name},
                         w) {
    collective_.agree_now(m.communicator());
  }
  collective_scope(collective_scope const&) = delete;
  collective_scope& operator=(collective_scope const&) = delete;
  ~collective_scope() {
    if (collective_.is_entered()) end_region();
  }
  /// Error: ashlar::error if MPI is finalised.
  void require_mpi() const { collective_.require_usable(); }
  void enter();
  void leave();

 private:
  template <class M>
  collective_scope(device_mesh<M> const& m, std::uint64_t fingerprint, comm_detail::collective_event e,
                   call_site const& w)
      : collective_(comm_detail::state_of(m).calls, m.sizes(), m.rank(), m.communicator(e.axes), fingerprint,
                    (e.names = names_of_list<typename M::names>::text, e.file = w.file_name(), e.line = w.line(), e)) {
    begin_region();
  }
  void begin_region() const;
  static void end_region();

  collective_in_progress collective_;
};

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/collective_scope.ipp"
#endif
