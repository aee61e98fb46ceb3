// SPDX-License-Identifier: BSL-1.0
// All-to-all: block q of rank r becomes block r of rank q.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

template <class Send, class Receive>
void all_to_all_by_exchange(communicator const& c, Send send, Receive receive, comm::tuning const& how) {
  int const r = c.rank();
  post_exchange(c, send, receive, how);
  deliver_own(c, send(r), receive(r), how);
  finish(c);
}

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
  comm_detail::raw_call const now(
      c, "comm::all_to_all", w,
      comm_detail::fingerprint_of(collective::all_to_all, n_each, comm_detail::element_code<T>), how);
  int const p = c.size();
  if (p == 1) return comm_detail::copy_block(how, source, destination, n_each);
  if (n_each == 0) return;
  c.counters().all_to_all.add(std::size_t(p - 1) * n_each * sizeof(T));
  auto const send = [=](int q) { return comm_detail::block<T const>{source + std::size_t(q) * n_each, n_each}; };
  auto const receive = [=](int q) { return comm_detail::block<T>{destination + std::size_t(q) * n_each, n_each}; };
  MPI_Datatype const type = mpi_datatype<T>::get();
  std::size_t const n = std::size_t(p) * n_each;
  algorithm const a = comm_detail::choose<T>(c, collective::all_to_all, n, how);
  if (comm_detail::is_exchange(a) || n > how.count_limit)
    comm_detail::all_to_all_by_exchange(c, send, receive, how);
  else if (a == algorithm::persistent)
    comm_detail::call_persistent(c, "MPI_Alltoall_init", {collective::all_to_all, MPI_OP_NULL, type, n_each}, source, n,
                                 destination, n, [=](T const* in, T* out, auto... rest) {
                                   return ASHLAR_MPI_INIT(Alltoall)(in, comm_detail::count_type(n_each), type, out,
                                                                    comm_detail::count_type(n_each), type, rest...);
                                 });
  else
    comm_detail::on_kept_copies(c, how, source, n, destination, n, [&](T const* from, T* to) {
      comm_detail::call_mpi(c, "MPI_Alltoall", ASHLAR_MPI(MPI_Alltoall), ASHLAR_MPI(MPI_Ialltoall), from,
                            comm_detail::count_type(n_each), type, to, comm_detail::count_type(n_each), type);
    });
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
  comm_detail::raw_call const now(
      c, "comm::all_to_all", w, comm_detail::fingerprint_of(collective::all_to_all, comm_detail::element_code<T>), how);
  auto const r = std::size_t(c.rank());
  assert(send_counts[r] == receive_counts[r]);
  if (c.size() == 1) return comm_detail::copy_block(how, source + send_starts[0], destination, send_counts[0]);
  std::size_t const* const in = comm_detail::block_starts(c.state().receive_starts, receive_counts);
  std::size_t sent = 0;
  for (std::size_t n : send_counts) sent += n;
  c.counters().all_to_all.add((sent - send_counts[r]) * sizeof(T));
  auto const send = [=](int q) {
    return comm_detail::block<T const>{source + send_starts[std::size_t(q)], send_counts[std::size_t(q)]};
  };
  auto const receive = [=](int q) { return comm_detail::block<T>{destination + in[q], in[q + 1] - in[q]}; };
  comm_detail::all_to_all_by_exchange(c, send, receive, how);
}

/// The same with blocks that follow one after the other in `source`.
template <element T>
void all_to_all(communicator const& c, T const* source, std::span<std::size_t const> send_counts, T* destination,
                std::span<std::size_t const> receive_counts, tuning const& how = tuned,
                call_site w = call_site::current()) {
  std::size_t const* const starts = comm_detail::block_starts(c, send_counts);
  all_to_all(c, source, std::span(starts, send_counts.size()), send_counts, destination, receive_counts, how, w);
}

}  // namespace ashlar::comm
