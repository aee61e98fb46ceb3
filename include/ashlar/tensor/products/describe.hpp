// SPDX-License-Identifier: BSL-1.0
// The versions and settings that a report needs. A header of its own, since it includes streams.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/kernels/products/blas.hpp"
#include "ashlar/kernels/onednn.hpp"
#include "ashlar/tensor/environment.hpp"
#include <ostream>

namespace ashlar {

/// Writes versions and settings, one per line: ashlar and compiler, MPI, Kokkos, BLAS, oneDNN.
/// Pre: MPI and Kokkos are initialised. Not collective.
/// Example: if (m.rank() == 0) describe(std::cout, m);
ASHLAR_INLINE void describe(std::ostream& out);

/// The same, and the mesh: its axes and, for every set of axes, the transport between the ranks along them.
template <class M>
void describe(std::ostream& out, device_mesh<M> const& m) {
  describe(out);
  out << "mesh";
  for (int a = 0; a < M::axes; ++a)
    out << (a ? " x " : " ") << meta_detail::name_text<typename M::names>(a) << '=' << m.sizes().size[a];
  out << ", " << m.size() << " ranks; this is rank " << m.rank() << '\n';
  for (unsigned mask = 1; mask < 1u << M::axes; ++mask) {
    if (m.communicator(mask).size() == 1) continue;
    out << "  over ";
    char const* between = "";
    for (int a = 0; a < M::axes; ++a)
      if (mask >> a & 1u) out << std::exchange(between, ", ") << meta_detail::name_text<typename M::names>(a);
    out << ": " << m.communicator(mask).size() << " ranks, " << m.transport(mask) << '\n';
  }
  if (m.size() == 1) return;
  auto const& memory = comm_detail::node_memory::instance();
  if (m.without_shared_memory().empty())
    out << "shared memory: " << (memory.used() >> 20) << " MiB in use, of " << (memory.size() >> 20)
        << " MiB of address space\n";
  else
    out << "no shared memory: " << m.without_shared_memory() << '\n';
}

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/tensor/products/impl/describe.ipp"
#endif
