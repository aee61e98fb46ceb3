// SPDX-License-Identifier: BSL-1.0
// Permute: every rank sends its array to one rank and receives one.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/desync/raw_call.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void permute(communicator const& c, element_type const& e, block<void const> source, int to,
                           block<void> destination, int from, comm::tuning const& how, call_site const& w);

}  // namespace ashlar::comm_detail

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
  comm_detail::permute(c, comm_detail::element_type_of<T>, {source, n_send}, to, {destination, n_receive}, from, how,
                       w);
}

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/permute.ipp"
#endif
