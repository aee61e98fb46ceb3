// SPDX-License-Identifier: BSL-1.0
// All-to-all: block q of rank r becomes block r of rank q. Permute: every rank sends its array to one rank and receives
// one.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void all_to_all(communicator const& c, element_type const& e, void const* source, std::size_t n_each,
                              void* destination, comm::tuning const& how, call_site const& w);
ASHLAR_INLINE void all_to_all(communicator const& c, element_type const& e, void const* source,
                              std::span<std::size_t const> send_starts, std::span<std::size_t const> send_counts,
                              void* destination, std::span<std::size_t const> receive_counts, comm::tuning const& how,
                              call_site const& w);
ASHLAR_INLINE void permute(communicator const& c, element_type const& e, block<void const> source, int to,
                           block<void> destination, int from, comm::tuning const& how, call_site const& w);

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Sends block q of `n_each` elements to rank q and receives one from each rank.
/// Pre: both arrays have size() * n_each elements and do not overlap; the same n_each on all ranks.
/// Post: `destination[q * n_each + i]` is rank q's `source[rank() * n_each + i]`.
/// Collective: all ranks of c; blocks.
/// Cost: every rank receives (size() - 1) * n_each elements.
/// Error: `ashlar::error` if c has all ranks of a mesh, and another rank calls something else, has failed or has ended;
///   else after the deadline, if there is one.
/// Example: comm::all_to_all(c, columns.data(), n_each, rows.data());
template <element T>
void all_to_all(communicator const& c, T const* source, std::size_t n_each, T* destination, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::all_to_all(c, comm_detail::element_type_of<T>, source, n_each, destination, how, w);
}

/// The same with blocks of different sizes, which are anywhere in `source` and may share elements. Rank q gets the
/// `send_counts[q]` elements from `send_starts[q]` on. This rank gets `receive_counts[q]` elements from rank q.
/// Pre: `send_counts[q]` here equals `receive_counts[rank()]` on rank q. Always an exchange: no rank knows whether the
///   counts of another one fit into an MPI call.
/// Post: `destination[receive_counts[0] + ... + receive_counts[q - 1] + i]` is element i of the block from rank q.
template <element T>
void all_to_all(communicator const& c, T const* source, std::span<std::size_t const> send_starts,
                std::span<std::size_t const> send_counts, T* destination, std::span<std::size_t const> receive_counts,
                tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::all_to_all(c, comm_detail::element_type_of<T>, source, send_starts, send_counts, destination,
                          receive_counts, how, w);
}

/// The same with blocks that follow one after the other in `source`.
template <element T>
void all_to_all(communicator const& c, T const* source, std::span<std::size_t const> send_counts, T* destination,
                std::span<std::size_t const> receive_counts, tuning const& how = tuned,
                call_site w = call_site::current()) {
  std::size_t const* const starts = comm_detail::block_starts(c, send_counts);
  all_to_all(c, source, std::span(starts, send_counts.size()), send_counts, destination, receive_counts, how, w);
}

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
#include "ashlar/comm/collectives/impl/all_to_all.ipp"
#endif
