// SPDX-License-Identifier: BSL-1.0
// All-gather: the blocks of all ranks, one after the other, on all ranks.
#pragma once
#include "ashlar/comm/collectives/broadcast.hpp"
#include "ashlar/comm/collectives/hierarchical.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

template <class T>
void all_gather_by_exchange(communicator const& c, T const* own, T* destination, std::size_t const* starts,
                            comm::tuning const& how) {
  std::size_t const first = starts[c.rank()], n = starts[c.rank() + 1] - first;
  auto const send = [&](int) { return block<T const>{own, n}; };
  auto const receive = [&](int q) { return block<T>{destination + starts[q], starts[q + 1] - starts[q]}; };
  post_exchange(c, send, receive, how);
  copy_block(how, own, destination + first, n);
  finish(c);
}

// Hierarchical all-gather. Blocks cross between ranks of equal local rank. Then the ranks of a node read each other's
// blocks.
template <class T>
void hierarchical_all_gather(node_levels const& l, T const* own, T* destination, std::size_t const* starts,
                             comm::tuning const& how) {
  auto const share = [&](int place, int k) { return range_of_rank(starts, l.at(k, place)); };
  int const place = l.intra_node.rank();
  element_range const mine = share(place, l.inter_node.rank());
  post_exchange(
      l.inter_node,
      [&](int) {
        return block<T const>{own, mine.size};
      },
      [&](int k) {
        return block<T>{destination + share(place, k).begin, share(place, k).size};
      },
      how);
  copy_block(how, own, destination + mine.begin, mine.size);
  finish(l.inter_node);
  gather_intra_node(l.intra_node, destination, starts[l.rank_at.size()], l.nodes(), share, how);
}

// `own` is null if the own block is in its place already.
template <class T>
void run_all_gather(communicator const& c, T const* own, T* destination, std::size_t const* starts, bool equal,
                    comm::tuning const& how) {
  int const p = c.size(), r = c.rank();
  std::size_t const n = starts[r + 1] - starts[r], total = starts[p];
  T* const place = destination + starts[r];
  if (p == 1) return copy_block(how, own ? own : place, place, n);
  if (total == 0) return;
  c.counters().all_gather.add(n * sizeof(T));

  if (node_levels const* const l = even_levels(c); l && how.host_memory)
    return hierarchical_all_gather(*l, own ? own : place, destination, starts, how);
  comm::algorithm const a = choose<T>(c, collective::all_gather, total, how);
  MPI_Datatype const type = comm::mpi_datatype<T>::get();
  void const* const source = own ? static_cast<void const*>(own) : MPI_IN_PLACE;
  if (is_exchange(a)) {
    all_gather_by_exchange(c, own ? own : place, destination, starts, how);
  } else if (equal && a == comm::algorithm::persistent) {
    call_persistent(c, "MPI_Allgather_init", {collective::all_gather, MPI_OP_NULL, type, n}, own ? own : place, n,
                    destination, total, [=](T const* in, T* out, auto... rest) {
                      return ASHLAR_MPI_INIT(Allgather)(in, count_type(n), type, out, count_type(n), type, rest...);
                    });
  } else if (total > how.count_limit) {
    if (own) {
      deliver_own(c, block<T const>{own, n}, block<T>{place, n}, how);
      finish(c);
    }
    for (int q = 0; q < p; ++q) broadcast_by_mpi(c, destination + starts[q], starts[q + 1] - starts[q], q, how);
  } else if (equal) {
    call_mpi(c, "MPI_Allgather", ASHLAR_MPI(MPI_Allgather), ASHLAR_MPI(MPI_Iallgather), source, count_type(n), type,
             destination, count_type(n), type);
  } else {
    fill_counts(c, starts);
    call_mpi(c, "MPI_Allgatherv", ASHLAR_MPI(MPI_Allgatherv), ASHLAR_MPI(MPI_Iallgatherv), source, count_type(n), type,
             destination, c.state().counts.data(), c.state().displacements.data(), type);
  }
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

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
  comm_detail::raw_call const now(
      c, "comm::all_gather", w,
      comm_detail::fingerprint_of(collective::all_gather, n_each, comm_detail::element_code<T>), how);
  comm_detail::on_kept_copies(
      c, how, source, n_each, destination, static_cast<std::size_t>(c.size()) * n_each, [&](T const* from, T* to) {
        comm_detail::run_all_gather(c, from, to, comm_detail::block_starts(c, n_each), true, how);
      });
}

/// The same if the own block is in its place, `data + rank() * n_each`, already.
template <element T>
void all_gather(communicator const& c, T* data, std::size_t n_each, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::raw_call const now(
      c, "comm::all_gather", w,
      comm_detail::fingerprint_of(collective::all_gather, n_each, comm_detail::element_code<T>), how);
  comm_detail::on_kept_copies(c, how, static_cast<T const*>(nullptr), 0, data,
                              static_cast<std::size_t>(c.size()) * n_each, [&](T const* from, T* to) {
                                comm_detail::run_all_gather(c, from, to, comm_detail::block_starts(c, n_each), true,
                                                            how);
                              });
}

/// Gathers blocks of different sizes, rank q's of `counts[q]` elements.
/// Pre: n == counts[rank()]; the same counts on all ranks.
/// Post: `destination[counts[0] + ... + counts[q - 1] + i]` is rank q's `source[i]`.
template <element T>
void all_gather(communicator const& c, T const* source, std::size_t n, T* destination,
                std::span<std::size_t const> counts, tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::raw_call const now(c, "comm::all_gather", w,
                                  comm_detail::fingerprint_of_counts<T>(collective::all_gather, counts), how);
  assert(n == counts[std::size_t(c.rank())]);
  if (n == 0) source = destination;  // an empty block may have a null pointer, which would mean: in place
  comm_detail::on_kept_copies(c, how, source, n, destination, comm_detail::sum_of(counts), [&](T const* from, T* to) {
    comm_detail::run_all_gather(c, from, to, comm_detail::block_starts(c, counts), false, how);
  });
}

/// The same if the own block is in its place already.
template <element T>
void all_gather(communicator const& c, T* data, std::span<std::size_t const> counts, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::raw_call const now(c, "comm::all_gather", w,
                                  comm_detail::fingerprint_of_counts<T>(collective::all_gather, counts), how);
  comm_detail::on_kept_copies(
      c, how, static_cast<T const*>(nullptr), 0, data, comm_detail::sum_of(counts), [&](T const* from, T* to) {
        comm_detail::run_all_gather(c, from, to, comm_detail::block_starts(c, counts), false, how);
      });
}

}  // namespace ashlar::comm
