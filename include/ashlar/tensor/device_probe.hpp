// SPDX-License-Identifier: BSL-1.0
// A test of messages between device memories, before tensors rely on them.
#pragma once
#include "ashlar/comm/device_pointers.hpp"
#include "ashlar/comm/collectives/tuning.hpp"
#include <Kokkos_Core.hpp>

namespace ashlar::tensor_detail {

template <class Space>
inline constexpr bool host_reads =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// True if messages in a ring arrive whole, from the space's memory to the same space's. Sends a short one, and one
/// that MPI does not send eagerly.
/// Collective: over all ranks of `all`
template <class Space>
bool messages_arrive_whole(MPI_Comm all) {
  MPI_Comm ring;
  comm_detail::check_mpi(MPI_Comm_dup(all, &ring), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(ring, &rank);
  MPI_Comm_size(ring, &ranks);
  int const next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  bool whole = true;
  for (int const n : {8, 1 << 17}) {
    Kokkos::View<double*, typename Space::memory_space> const out("ashlar: probe, sent", static_cast<std::size_t>(n)),
        in("ashlar: probe, received", static_cast<std::size_t>(n));
    auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), out);
    for (int i = 0; i < n; ++i) host(i) = rank * 1e6 + i;
    Kokkos::deep_copy(out, host);
    Kokkos::fence("ashlar: before MPI");
    int const rc = MPI_Sendrecv(out.data(), n, MPI_DOUBLE, next, 0, in.data(), n, MPI_DOUBLE, previous, 0, ring,
                                MPI_STATUS_IGNORE);
    auto const arrived = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
    for (int i = 0; i < n; ++i) whole = whole && arrived(i) == previous * 1e6 + i;
    whole = whole && rc == MPI_SUCCESS;
  }
  MPI_Comm_free(&ring);
  return whole;
}

/// Decides for the program how tensors of its default device travel. Does nothing if the host reads their memory.
/// Pre: MPI and Kokkos are initialised, no mesh was made
/// Collective: over all processes
template <class Space = Kokkos::DefaultExecutionSpace>  // so that a host's programs do not compile the probe
void decide_for_default_device() {
  if constexpr (!host_reads<Space>) {
#if defined(KOKKOS_ENABLE_HIP)
    auto const kind = comm_detail::device_kind::hip;
#elif defined(KOKKOS_ENABLE_SYCL)
    auto const kind = comm_detail::device_kind::sycl;
#else
    auto const kind = comm_detail::device_kind::cuda;
#endif
    comm_detail::device_memory =
        comm_detail::decide_device_pointers(MPI_COMM_WORLD, comm_detail::library_takes_pointers_of(kind),
                                            [] { return messages_arrive_whole<Space>(MPI_COMM_WORLD); });
    if (comm_detail::device_memory.direct) comm::tuned.host_memory = false;
  }
}

}  // namespace ashlar::tensor_detail
