// SPDX-License-Identifier: BSL-1.0
// All-reduce: the combination of all ranks' arrays, on all ranks.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/node/round.hpp"
#include "ashlar/comm/collectives/reduce_scatter.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

// Every rank receives all arrays and combines them. This takes one message time, for arrays so small that latency
// dominates.
template <class Op, class T>
void all_reduce_whole(communicator const& c, T const* source, T* destination, std::size_t n, comm::tuning const& how) {
  received_arrays<T> const received(c, n);
  auto const send = [&](int) { return block<T const>{source, n}; };
  auto const receive = [&](int q) { return block<T>{received.from(q), n}; };
  post_exchange(c, send, receive, how);
  finish(c);
  received.template combine<Op>(how, source, destination, n);
}

// A reduce-scatter and an all-gather: twice the messages, 2/p of the bytes.
template <class Op, class T>
void all_reduce_in_parts(communicator const& c, T const* source, T* destination, std::size_t n,
                         comm::tuning const& how) {
  auto const p = std::size_t(c.size());
  auto& starts = c.state().starts;
  starts.resize(p + 1);
  for (std::size_t q = 0; q <= p; ++q) starts[q] = q * (n / p) + (std::min)(q, n % p);
  T* const part = destination + starts[std::size_t(c.rank())];
  reduce_scatter_by_exchange<Op>(c, source, part, starts.data(), how);
  all_gather_by_exchange(c, static_cast<T const*>(part), destination, starts.data(), how);
}

// Returns the part of n elements that a rank combines for all ranks.
inline element_range part_of_rank(std::size_t n, int ranks, int rank) {
  interval const part = part_of({0, index_t(n)}, ranks, rank);
  return {std::size_t(part.begin), std::size_t(part.end - part.begin)};
}
inline element_range own_part(node_group const& g, std::size_t n) { return part_of_rank(n, g.size(), g.rank()); }

// Every rank combines a small array itself. For a large array, each rank combines a part and stores it into all
// results.
// Source: measured beside a reduce-scatter and an all-gather in shared memory, which take one more pass over memory.
template <class Op, class T>
void combine_on_node(node_round<T> const& round, T* destination, std::size_t n, comm::tuning const& how) {
  node_group const& g = round.group();
  if (round.is_small())
    return combine_sources<Op, T>(
        g, 0, n, [&](std::size_t begin, T const* sum, std::size_t m) { copy_block(sum, destination + begin, m); });
  combine_sources<Op, T>(how, g, own_part(g, n), [&](std::size_t begin, T const* sum, std::size_t m) {
    for (int q = 0; q < g.size(); ++q) copy_block(sum, g.destination<T>(q) + begin, m);
  });
}
template <class Op, class T>
bool all_reduce_on_node(communicator const& c, T const* source, T* destination, std::size_t n,
                        comm::tuning const& how) {
  node_round<T> round(c, fingerprint_of(collective::all_reduce, n, element_code<T>), source, n, destination);
  if (!round) return false;
  combine_on_node<Op>(round, destination, n, how);
  return round.end();
}

// Combines elements [first, last) of several arrays, counted over all of them, and stores them into all results.
template <class Op, class T>
void combine_pieces(node_group const& g, std::span<block<T const> const> pieces, std::size_t first, std::size_t last) {
  std::size_t begin = 0;  // of the piece
  for (std::size_t i = 0; i < pieces.size(); begin += pieces[i++].size) {
    std::size_t const from = (std::max)(first, begin), to = (std::min)(last, begin + pieces[i].size);
    if (from >= to) continue;
    combine_operands<Op, T>(
        g, [&](int q) { return g.at<T const>(q, g.source<std::uint64_t>(q)[i]); }, from - begin, to - from,
        [&](std::size_t at, T const* sum, std::size_t m) {
          for (int q = 0; q < g.size(); ++q) copy_block(sum, g.destination<T>(q) + begin + at, m);
        });
  }
}
// The same for several arrays, whose results are contiguous in `destination`. The arrays are not packed. Returns false,
// and does nothing, in three cases. The ranks do not see each other's memory; the total is so small that it is copied
// inline; there are too many arrays.
template <class Op, class T>
bool all_reduce_pieces_on_node(communicator const& c, std::span<block<T const> const> pieces, T* destination,
                               comm::tuning const& how) {
  std::size_t total = 0;
  std::vector<std::uint64_t> offsets;
  bool seen = true;
  for (block<T const> const& b : pieces) {
    offsets.push_back(node_memory::instance().offset(b.data));
    seen = seen && offsets.back() != nowhere;
    total += b.size;
  }
  std::size_t const bytes = total * sizeof(T);
  if (c.state().node == nullptr || bytes <= node_slot::inline_bytes ||
      offsets.size() * sizeof(offsets[0]) > node_slot::inline_bytes)
    return false;
  static constexpr char elsewhere = 0;  // in no segment: the others see that, too
  node_round<std::uint64_t> round(c, fingerprint_of(collective::all_reduce, total, offsets.size(), element_code<T>),
                                  offsets.data(), offsets.size(),
                                  seen ? static_cast<void const*>(destination) : &elsewhere, read_in_place::always);
  if (!round) return false;
  c.counters().all_reduce.add(bytes);
  node_group& g = round.group();
  element_range const part = own_part(g, total);
  for_elements_of<T>(how, part.size, [&](std::size_t first, std::size_t last) {
    combine_pieces<Op>(g, pieces, part.begin + first, part.begin + last);
  });
  return round.end();
}

// `maybe_in_place`: on some ranks the operand may be where the result will be. Then all ranks choose as these ranks do.
enum class operands { as_they_lie, maybe_in_place };

template <class Op, class T>
void all_reduce_by_messages(communicator const& c, T const* source, T* destination, std::size_t n,
                            comm::tuning const& how, operands lie = operands::as_they_lie) {
  if (n == 0) return;
  bool const in_place = source == destination;
  comm::algorithm const a = choose<T>(c, collective::all_reduce, n, how, in_place || lie == operands::maybe_in_place);
  if (a == comm::algorithm::exchange) return all_reduce_whole<Op>(c, source, destination, n, how);
  if (a == comm::algorithm::exchange_in_parts) return all_reduce_in_parts<Op>(c, source, destination, n, how);
  MPI_Datatype const type = comm::mpi_datatype<T>::get();
  MPI_Op const op = comm::mpi_op<Op, T>::get();
  if (a == comm::algorithm::persistent)
    return call_persistent(c, "MPI_Allreduce_init", {collective::all_reduce, op, type, n}, source, n, destination, n,
                           [=](T const* in, T* out, auto... rest) {
                             return ASHLAR_MPI_INIT(Allreduce)(in, out, count_type(n), type, op, rest...);
                           });
  for (std::size_t i = 0; i < n; i += how.count_limit) {
    std::size_t const m = (std::min)(how.count_limit, n - i);
    void const* operand = source + i;
    if (a == comm::algorithm::mpi_in_place) {
      copy_block(how, source + i, destination + i, m);
      operand = MPI_IN_PLACE;
    } else if (in_place) {
      T* const copy = c.state().scratch<T>(m);
      copy_block(how, source + i, copy, m);
      operand = copy;
    }
    call_mpi(c, "MPI_Allreduce", ASHLAR_MPI(MPI_Allreduce), ASHLAR_MPI(MPI_Iallreduce), operand, destination + i,
             count_type(m), type, op);
  }
}

// Hierarchical all-reduce. A rank combines its share of its node's arrays, then reduces it with the ranks of equal
// local rank on other nodes. At the end the ranks of a node read each other's shares.
template <class Op, class T>
void hierarchical_all_reduce(node_levels const& l, T const* source, T* destination, std::size_t n,
                             comm::tuning const& how) {
  auto const share = [&](int local_rank, int) {
    return local_rank < l.local_ranks ? part_of_rank(n, l.local_ranks, local_rank) : element_range{0, 0};
  };
  element_range const mine = share(l.intra_node.rank(), 0);
  T* const part = destination + mine.begin;
  combine_intra_node<Op>(l.intra_node, source, n, 1, share, part, how);
  all_reduce_by_messages<Op>(l.inter_node, static_cast<T const*>(part), part, mine.size, how);
  gather_intra_node(l.intra_node, destination, n, 1, share, how);
}

template <class Op, class T>
void run_all_reduce(communicator const& c, T const* source, T* destination, std::size_t n, comm::tuning const& how,
                    operands lie = operands::as_they_lie) {
  if (c.size() == 1) return copy_block(how, source, destination, n);
  if (n == 0) return;
  c.counters().all_reduce.add(n * sizeof(T));
  if (how.host_memory && all_reduce_on_node<Op>(c, source, destination, n, how)) return;
  if (how.host_memory && c.state().levels)
    return hierarchical_all_reduce<Op>(*c.state().levels, source, destination, n, how);
  all_reduce_by_messages<Op>(c, source, destination, n, how, lie);
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Combines the arrays of all ranks, element by element: `op::sum`, `max`, `min`, `prod` or a type like them.
/// Pre: the same n on all ranks; source and destination are the same array or do not overlap.
/// Post: `destination[i]` is the combination over the ranks of `source[i]`. If ranks exchange messages (see `tuning`)
///   or read each other's memory, every rank gets the same bits, combined in the order of the ranks.
/// Collective: all ranks of c; blocks.
/// Cost: every rank receives at least 2 (size() - 1) / size() * n elements.
/// Error: `ashlar::error` if c has all ranks of a mesh, and another rank calls something else, has failed or has ended;
///   else after the deadline, if there is one.
/// Example: comm::all_reduce<op::max>(c, &largest, 1);
template <class Op, element T>
void all_reduce(communicator const& c, T const* source, T* destination, std::size_t n, tuning const& how = tuned,
                call_site w = call_site::current()) {
  comm_detail::raw_call const now(
      c, "comm::all_reduce", w,
      comm_detail::fingerprint_of(collective::all_reduce, n, comm_detail::element_code<T>, comm_detail::code_of<Op>),
      how);
  comm_detail::on_kept_copies(c, how, source, n, destination, n,
                              [&](T const* from, T* to) { comm_detail::run_all_reduce<Op>(c, from, to, n, how); });
}

/// The same in place.
template <class Op, element T>
void all_reduce(communicator const& c, T* data, std::size_t n, tuning const& how = tuned,
                call_site w = call_site::current()) {
  all_reduce<Op>(c, static_cast<T const*>(data), data, n, how, w);
}

}  // namespace ashlar::comm
