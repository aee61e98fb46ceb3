// SPDX-License-Identifier: BSL-1.0
// Reduce-scatter: the combination of all ranks' arrays, a block of it on each rank.
#pragma once
#include "ashlar/comm/collectives/hierarchical.hpp"
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

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/reduce_scatter.ipp"
#endif
