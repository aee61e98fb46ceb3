// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/permute.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void permute(communicator const& c, element_type const& e, block<void const> source, int to,
                           block<void> destination, int from, comm::tuning const& how, call_site const& w) {
  raw_call const now(c, "comm::permute", w, fingerprint_of(collective::permute, e.code), how);
  bool const to_itself = to == c.rank();
  assert(to_itself == (from == c.rank()) && (!to_itself || source.size == destination.size));
  if (to_itself && (how.host_memory || c.size() == 1))
    return copy_bytes(source.data, destination.data, source.size * e.size);
  if (c.size() == 1) return;
  if (!to_itself) c.counters().permute.add(to == MPI_PROC_NULL ? 0 : source.size * e.size);
  or_give_up(c, [&] {
    if (from != MPI_PROC_NULL) post_receive(c, e, destination, from, how);
    if (to != MPI_PROC_NULL) post_send(c, e, source, to, how);
  });
  finish(c);
}

}  // namespace ashlar::comm_detail
