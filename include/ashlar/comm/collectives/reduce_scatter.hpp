// SPDX-License-Identifier: BSL-1.0
// Reduce-scatter: the combination of all ranks' arrays, a block of it on each rank.
#pragma once
#include "ashlar/comm/collectives/hierarchical.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

// Combines the block piece by piece, each while it is still in the cache that MPI has received it into.
template <class Op, class T>
void reduce_scatter_by_exchange(communicator const& c, T const* source, T* destination, std::size_t const* starts,
                                comm::tuning const& how) {
  int const p = c.size(), r = c.rank();
  std::size_t largest = 0;
  for (int q = 0; q < p; ++q) largest = (std::max)(largest, starts[q + 1] - starts[q]);
  std::size_t const step = (std::min)(largest, std::max<std::size_t>(how.piece_bytes / sizeof(T), 1));
  received_arrays<T> const received(c, step);
  for (std::size_t begin = 0; begin < largest; begin += step) {
    auto const piece = [&](int q) {
      std::size_t const first = (std::min)(starts[q] + begin, starts[q + 1]);
      return block<T const>{source + first, (std::min)(step, starts[q + 1] - first)};
    };
    block<T const> const own = piece(r);
    auto const receive = [&](int q) { return block<T>{received.from(q), own.size}; };
    post_exchange(c, piece, receive, how);
    finish(c);
    received.template combine<Op>(how, own.data, destination + begin, own.size);
  }
}

// Hierarchical reduce-scatter. A rank combines its node's arrays for the ranks with its local rank on all nodes. Then
// it sends each of them its block.
template <class Op, class T>
void hierarchical_reduce_scatter(communicator const& c, T const* source, T* destination, std::size_t const* starts,
                                 comm::tuning const& how) {
  node_levels const& l = *c.state().levels;
  auto const share = [&](int local_rank, int k) { return range_of_rank(starts, l.at(k, local_rank)); };
  std::vector<std::size_t> sums(1, 0);  // begin of the sums for each node
  for (int k = 0; k < l.nodes(); ++k) sums.push_back(sums.back() + share(l.intra_node.rank(), k).size);
  T* const of_node = c.state().scratch<T>(sums.back());
  combine_intra_node<Op>(l.intra_node, source, starts[c.size()], l.nodes(), share, of_node, how);
  reduce_scatter_by_exchange<Op>(l.inter_node, static_cast<T const*>(of_node), destination, sums.data(), how);
}

template <class Op, class T>
void run_reduce_scatter(communicator const& c, T const* source, T* destination, std::size_t const* starts, bool equal,
                        comm::tuning const& how) {
  int const p = c.size(), r = c.rank();
  std::size_t const n = starts[r + 1] - starts[r], total = starts[p];
  if (p == 1) return copy_block(how, source, destination, n);
  if (total == 0) return;
  c.counters().reduce_scatter.add((total - n) * sizeof(T));

  if (how.host_memory && even_levels(c)) return hierarchical_reduce_scatter<Op>(c, source, destination, starts, how);
  comm::algorithm const a = choose<T>(c, collective::reduce_scatter, total, how);
  MPI_Datatype const type = comm::mpi_datatype<T>::get();
  MPI_Op const op = comm::mpi_op<Op, T>::get();
  if (is_exchange(a)) {
    reduce_scatter_by_exchange<Op>(c, source, destination, starts, how);
  } else if (equal && a == comm::algorithm::persistent) {
    call_persistent(c, "MPI_Reduce_scatter_block_init", {collective::reduce_scatter, op, type, n}, source, total,
                    destination, n, [=](T const* in, T* out, auto... rest) {
                      return ASHLAR_MPI_INIT(Reduce_scatter_block)(in, out, count_type(n), type, op, rest...);
                    });
  } else if (total > how.count_limit) {
    for (int q = 0; q < p; ++q)
      for (std::size_t i = starts[q]; i < starts[q + 1]; i += how.count_limit)
        call_mpi(c, "MPI_Reduce", ASHLAR_MPI(MPI_Reduce), ASHLAR_MPI(MPI_Ireduce), source + i,
                 destination + (i - starts[q]), count_type((std::min)(how.count_limit, starts[q + 1] - i)), type, op,
                 q);
  } else if (equal && a != comm::algorithm::mpi_with_counts) {
    call_mpi(c, "MPI_Reduce_scatter_block", ASHLAR_MPI(MPI_Reduce_scatter_block), ASHLAR_MPI(MPI_Ireduce_scatter_block),
             source, destination, count_type(n), type, op);
  } else {
    fill_counts(c, starts);
    call_mpi(c, "MPI_Reduce_scatter", ASHLAR_MPI(MPI_Reduce_scatter), ASHLAR_MPI(MPI_Ireduce_scatter), source,
             destination, c.state().counts.data(), type, op);
  }
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Combines the arrays of all ranks. Rank q gets block q of the result.
/// Pre: `source` has size() * n_each elements; the two arrays do not overlap; the same n_each on all ranks.
/// Post: `destination[i]` is the combination over the ranks of `source[rank() * n_each + i]`. Exchanges (see `tuning`)
///   combine in the order of the ranks.
/// Collective: all ranks of c; blocks.
/// Cost: every rank receives (size() - 1) * n_each elements.
/// Error: `ashlar::error` if c has all ranks of a mesh, and another rank calls something else, has failed or has ended;
///   else after the deadline, if there is one.
/// Example: comm::reduce_scatter<op::sum>(c, terms.data(), part.data(), part.size());
template <class Op, element T>
void reduce_scatter(communicator const& c, T const* source, T* destination, std::size_t n_each,
                    tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::raw_call const now(c, "comm::reduce_scatter", w,
                                  comm_detail::fingerprint_of(collective::reduce_scatter, n_each,
                                                              comm_detail::element_code<T>, comm_detail::code_of<Op>),
                                  how);
  comm_detail::on_kept_copies(
      c, how, source, static_cast<std::size_t>(c.size()) * n_each, destination, n_each, [&](T const* from, T* to) {
        comm_detail::run_reduce_scatter<Op>(c, from, to, comm_detail::block_starts(c, n_each), true, how);
      });
}

/// The same with blocks of different sizes, rank q's of `counts[q]` elements.
/// Pre: the same counts on all ranks.
template <class Op, element T>
void reduce_scatter(communicator const& c, T const* source, T* destination, std::span<std::size_t const> counts,
                    tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::raw_call const now(
      c, "comm::reduce_scatter", w,
      comm_detail::fingerprint_of_counts<T>(collective::reduce_scatter, counts, comm_detail::code_of<Op>), how);
  comm_detail::on_kept_copies(c, how, source, comm_detail::sum_of(counts), destination,
                              counts[static_cast<std::size_t>(c.rank())], [&](T const* from, T* to) {
                                comm_detail::run_reduce_scatter<Op>(c, from, to, comm_detail::block_starts(c, counts),
                                                                    false, how);
                              });
}

}  // namespace ashlar::comm
