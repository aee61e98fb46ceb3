// SPDX-License-Identifier: BSL-1.0
// Broadcast: one rank's array, on all ranks.
#pragma once
#include <algorithm>

#include "ashlar/comm/communicator.hpp"
#include "ashlar/comm/collectives/tuning.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

template <class T>
void broadcast_by_mpi(communicator const& c, T* data, std::size_t n, int root, comm::tuning const& how) {
  for (std::size_t i = 0; i < n; i += how.count_limit)
    call_mpi(c, "MPI_Bcast", ASHLAR_MPI(MPI_Bcast), ASHLAR_MPI(MPI_Ibcast), data + i,
             count_type((std::min)(how.count_limit, n - i)), comm::mpi_datatype<T>::get(), root);
}

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
  comm_detail::raw_call now(c, "comm::broadcast", w,
                            comm_detail::fingerprint_of(collective::broadcast, n, root, comm_detail::element_code<T>));
  if (c.size() == 1) return;
  if (!now.is_part()) now.agree(0, comm_detail::header_is::hidden);
  now.set_polls(how.host_memory);
  if (n == 0) return;
  c.counters().broadcast.add(c.rank() == root ? n * sizeof(T) : 0);
  comm_detail::on_kept_copies(c, how, static_cast<T const*>(data), n, data, n,
                              [&](T const*, T* to) { comm_detail::broadcast_by_mpi(c, to, n, root, how); });
}

}  // namespace ashlar::comm
