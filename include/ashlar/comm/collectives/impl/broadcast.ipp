// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/broadcast.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void broadcast_by_mpi(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                                    comm::tuning const& how) {
  for (std::size_t i = 0; i < n; i += how.count_limit)
    call_mpi(c, "MPI_Bcast", ASHLAR_MPI(MPI_Bcast), ASHLAR_MPI(MPI_Ibcast), e.at(data, i),
             count_type((std::min)(how.count_limit, n - i)), e.datatype(), root);
}

ASHLAR_INLINE void broadcast(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                             comm::tuning const& how, call_site const& w) {
  raw_call now(c, "comm::broadcast", w, fingerprint_of(collective::broadcast, n, root, e.code));
  if (c.size() == 1) return;
  if (!now.is_part()) now.agree(0, header_is::hidden);
  now.set_polls(how.host_memory);
  if (n == 0) return;
  c.counters().broadcast.add(c.rank() == root ? n * e.size : 0);
  on_kept_copies(c, how, data, n * e.size, data, n * e.size,
                 [&](void const*, void* to) { broadcast_by_mpi(c, e, to, n, root, how); });
}

}  // namespace ashlar::comm_detail
