// SPDX-License-Identifier: BSL-1.0
// Reduce-scatter: the combination of all ranks' arrays, a block of it on each rank. All-reduce: all of it on all ranks.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/node/round.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"

namespace ashlar::comm_detail {

// Rank q gets the elements from starts[q] to starts[q + 1]. Combines the block piece by piece, each while it is still in
// the cache that MPI has received it into.
ASHLAR_INLINE void reduce_scatter_by_exchange(communicator const& c, reduction const& r, void const* source,
                                              void* destination, std::size_t const* starts, comm::tuning const& how);
// Blocks of n_each elements or, if there are counts, of these.
ASHLAR_INLINE void reduce_scatter(communicator const& c, reduction const& r, void const* source, void* destination,
                                  std::size_t n_each, std::span<std::size_t const> counts, comm::tuning const& how,
                                  call_site const& w);

// Returns the part of n elements that a rank combines for all ranks.
inline element_range part_of_rank(std::size_t n, int ranks, int rank) {
  interval const part = part_of({0, index_t(n)}, ranks, rank);
  return {std::size_t(part.begin), std::size_t(part.end - part.begin)};
}

// Every rank combines a small array itself. For a large array, each rank combines a part and stores it into all
// results.
// Source: measured beside a reduce-scatter and an all-gather in shared memory, which take one more pass over memory.
ASHLAR_INLINE void combine_on_node(node_round const& round, reduction const& r, void* destination, std::size_t n,
                                   comm::tuning const& how);

// Reduces several arrays, whose results are contiguous in `destination`. The arrays are not packed. Returns false, and
// does nothing, in three cases. The ranks do not see each other's memory; the total is so small that it is copied
// inline; there are too many arrays.
ASHLAR_INLINE bool all_reduce_pieces_on_node(communicator const& c, reduction const& r,
                                             std::span<block<void const> const> pieces, void* destination,
                                             comm::tuning const& how);

// `maybe_in_place`: on some ranks the operand may be where the result will be. Then all ranks choose as these ranks do.
enum class operands { as_they_lie, maybe_in_place };

// The collective without the header of a raw call.
ASHLAR_INLINE void run_all_reduce(communicator const& c, reduction const& r, void const* source, void* destination,
                                  std::size_t n, comm::tuning const& how, operands lie = operands::as_they_lie);
ASHLAR_INLINE void all_reduce(communicator const& c, reduction const& r, void const* source, void* destination,
                              std::size_t n, comm::tuning const& how, call_site const& w);

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
  comm_detail::reduce_scatter(c, comm_detail::reduction_of<Op, T>, source, destination, n_each, {}, how, w);
}

/// The same with blocks of different sizes, rank q's of `counts[q]` elements.
/// Pre: the same counts on all ranks.
template <class Op, element T>
void reduce_scatter(communicator const& c, T const* source, T* destination, std::span<std::size_t const> counts,
                    tuning const& how = tuned, call_site w = call_site::current()) {
  comm_detail::reduce_scatter(c, comm_detail::reduction_of<Op, T>, source, destination, 0, counts, how, w);
}

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
  comm_detail::all_reduce(c, comm_detail::reduction_of<Op, T>, source, destination, n, how, w);
}

/// The same in place.
template <class Op, element T>
void all_reduce(communicator const& c, T* data, std::size_t n, tuning const& how = tuned,
                call_site w = call_site::current()) {
  all_reduce<Op>(c, static_cast<T const*>(data), data, n, how, w);
}

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/all_reduce.ipp"
#endif
