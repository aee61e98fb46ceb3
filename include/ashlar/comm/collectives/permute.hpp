// SPDX-License-Identifier: BSL-1.0
// Permute: every rank sends its array to one rank and receives one.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/desync/raw_call.hpp"

namespace ashlar::comm {

/// Sends `source` to rank `to` and receives `destination` from rank `from`. MPI_PROC_NULL means no rank.
/// Pre: rank `to` names this rank as its `from` and expects n_send elements; the two arrays do not overlap.
/// Post: `destination[i]` is `source[i]` of rank `from`, or unchanged if `from` is MPI_PROC_NULL.
/// Collective: all ranks of c; blocks until this rank has sent and received.
/// Cost: the rank receives n_receive elements.
/// Error: `ashlar::error` if c has all ranks of a mesh, and another rank calls something else, has failed or has ended;
///   else after the deadline, if there is one.
/// Example: comm::permute(c, own.data(), n, right, from_left.data(), n, left);
template <element T>
void permute(communicator const& c, T const* source, std::size_t n_send, int to, T* destination, std::size_t n_receive,
             int from, tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::raw_call const now(c, "comm::permute", w,
                                  comm_detail::fingerprint_of(collective::permute, comm_detail::element_code<T>), how);
  bool const to_itself = to == c.rank();
  assert(to_itself == (from == c.rank()) && (!to_itself || n_send == n_receive));
  if (to_itself && (how.host_memory || c.size() == 1)) return comm_detail::copy_block(source, destination, n_send);
  if (c.size() == 1) return;
  if (!to_itself) c.counters().permute.add(to == MPI_PROC_NULL ? 0 : n_send * sizeof(T));
  comm_detail::or_give_up(c, [&] {
    if (from != MPI_PROC_NULL) comm_detail::post_receive(c, comm_detail::block<T>{destination, n_receive}, from, how);
    if (to != MPI_PROC_NULL) comm_detail::post_send(c, comm_detail::block<T const>{source, n_send}, to, how);
  });
  comm_detail::finish(c);
}

}  // namespace ashlar::comm
