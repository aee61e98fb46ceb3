// SPDX-License-Identifier: BSL-1.0
// Broadcast: one rank's array, on all ranks. All-gather: the blocks of all ranks, one after the other, on all ranks.
#pragma once
#include "ashlar/comm/collectives/hierarchical.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void broadcast_by_mpi(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                                    comm::tuning const& how);
ASHLAR_INLINE void broadcast(communicator const& c, element_type const& e, void* data, std::size_t n, int root,
                             comm::tuning const& how, call_site const& w);

ASHLAR_INLINE void all_gather_by_exchange(communicator const& c, element_type const& e, void const* own,
                                          void* destination, std::size_t const* starts, comm::tuning const& how);
// Blocks of n_each elements or, if there are counts, of these. `source` is null if the own block is in its place already.
ASHLAR_INLINE void all_gather(communicator const& c, element_type const& e, void const* source, void* destination,
                              std::size_t n_each, std::span<std::size_t const> counts, comm::tuning const& how,
                              call_site const& w);

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

/// Gathers a block of `n_each` elements from every rank.
/// Pre: `destination` has room for size() * n_each elements, none of them in `source`; the same n_each on all ranks.
/// Post: `destination[q * n_each + i]` is rank q's `source[i]`.
/// Collective: all ranks of c; blocks.
/// Cost: every rank receives (size() - 1) * n_each elements.
/// Error: `ashlar::error` if c has all ranks of a mesh, and another rank calls something else, has failed or has ended;
///   else after the deadline, if there is one.
/// Example: comm::all_gather(c, mine.data(), mine.size(), all.data());
template <element T>
void all_gather(communicator const& c, T const* source, std::size_t n_each, T* destination, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::all_gather(c, comm_detail::element_type_of<T>, source, destination, n_each, {}, how, w);
}

/// The same if the own block is in its place, `data + rank() * n_each`, already.
template <element T>
void all_gather(communicator const& c, T* data, std::size_t n_each, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::all_gather(c, comm_detail::element_type_of<T>, nullptr, data, n_each, {}, how, w);
}

/// Gathers blocks of different sizes, rank q's of `counts[q]` elements.
/// Pre: n == counts[rank()]; the same counts on all ranks.
/// Post: `destination[counts[0] + ... + counts[q - 1] + i]` is rank q's `source[i]`.
template <element T>
void all_gather(communicator const& c, T const* source, std::size_t n, T* destination,
                std::span<std::size_t const> counts, tuning const& how = tuned, call_site w = call_site::current()) {
  assert(n == counts[std::size_t(c.rank())]);
  if (n == 0) source = destination;  // an empty block may have a null pointer, which would mean: in place
  comm_detail::all_gather(c, comm_detail::element_type_of<T>, source, destination, 0, counts, how, w);
}

/// The same if the own block is in its place already.
template <element T>
void all_gather(communicator const& c, T* data, std::span<std::size_t const> counts, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::all_gather(c, comm_detail::element_type_of<T>, nullptr, data, 0, counts, how, w);
}

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/all_gather.ipp"
#endif
