// SPDX-License-Identifier: BSL-1.0
// Broadcast: one rank's array, on all ranks.
#pragma once
#include "ashlar/comm/communicator.hpp"
#include "ashlar/comm/collectives/tuning.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void broadcast_by_mpi(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                                    comm::tuning const& how);
ASHLAR_INLINE void broadcast(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                             comm::tuning const& how, call_site const& w);

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Copies the root's `data` to all ranks.
/// Pre: the same n and root on all ranks.
/// Post: `data[i]` is the root's `data[i]`.
/// Collective: all ranks of c; blocks.
/// Cost: every rank but the root receives n elements, after an all-reduce of 64 bytes.
/// Error: `ashlar::error` on every rank if another rank of c calls another agreement, or another broadcast; if c has all
///   ranks of a mesh, also if another rank calls something else, has failed or has ended; else after the deadline, if
///   there is one.
/// Example: comm::broadcast(c, numbers.data(), numbers.size(), 0);
template <element T>
void broadcast(communicator const& c, T* data, std::size_t n, int root, tuning const& how = tuned,
               call_site w = call_site::current()) {
  comm_detail::broadcast(c, comm_detail::element_type_of<T>, data, n, root, how, w);
}

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/broadcast.ipp"
#endif
