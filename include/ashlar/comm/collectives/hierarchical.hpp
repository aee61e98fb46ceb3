// SPDX-License-Identifier: BSL-1.0
// Collectives over several nodes: each array crosses between nodes once, not once per rank.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/node/round.hpp"

namespace ashlar::comm_detail {

/// Returns the table, for collectives that need the same number of ranks on each node. Null if the numbers differ, or
/// if there is no hierarchy of nodes.
inline node_levels const* even_levels(communicator const& c) {
  auto const& l = c.state().levels;
  return l && l->even ? l.get() : nullptr;
}

/// Combines a range of every rank's operand on the threads of `how`. Calls write(begin, values, count) with pieces of the
/// result, on several threads at once.
template <class Write>
void combine_sources(comm::tuning const& how, node_group const& g, combination const& r, element_range part,
                     Write write) {
  for_elements_of(how, r.size, part.size, [&](std::size_t begin, std::size_t end) {
    combine_sources(g, r, part.begin + begin, end - begin, write);
  });
}

/// Combines the ranges share(own local rank, 0 .. count - 1) of the arrays of a node's ranks. The results follow one
/// after the other in `out`. If count is 1, `out` may be the place of the range in `source`.
template <class Share>
void combine_intra_node(communicator const& intra_node, reduction const& r, void const* source, std::size_t n,
                        int count, Share share, void* out, comm::tuning const& how) {
  element_type const& e = r.elements;
  auto const* const operand = static_cast<std::byte const*>(source);
  node_round round(intra_node, fingerprint_of(collective::reduce_scatter, n, e.code), operand, n * e.size);
  for (int k = 0; k < count; ++k) {
    element_range const own = share(intra_node.rank(), k);
    if (round) {
      combine_sources(how, round.group(), r, own, [&](std::size_t at, std::byte const* sum, std::size_t m) {
        copy_bytes(sum, e.at(out, at - own.begin), m * e.size);
      });
    } else if (intra_node.size() == 1) {
      copy_bytes(how, e.at(source, own.begin), out, own.size * e.size);
    } else {
      received_arrays const received(intra_node, own.size * e.size);
      post_exchange(
          intra_node, e, [&](int q) { return block_at(e, source, share(q, k)); },
          [&](int q) { return received.block_from(q, own.size); }, how);
      finish(intra_node);
      received.combine(how, r, e.at(source, own.begin), out, own.size);
    }
    out = e.at(out, own.size);
  }
  if (round) round.end();
}

/// Gathers an array of n elements on every rank of a node.
/// Pre: a rank has its ranges share(local rank, 0 .. count - 1) of the array.
template <class Share>
void gather_intra_node(communicator const& intra_node, element_type const& e, void* data, std::size_t n, int count,
                       Share share, comm::tuning const& how) {
  auto const* const operand = static_cast<std::byte const*>(data);
  node_round round(intra_node, fingerprint_of(collective::all_gather, n, e.code), operand, n * e.size);
  auto const at = [&](int q, int k) { return block_at(e, data, share(q, k)); };
  for (int k = 0; k < count; ++k) {
    if (round) {
      for (int d = 1; d < intra_node.size(); ++d) {
        int const q = (intra_node.rank() + d) % intra_node.size();
        block<void> const theirs = at(q, k);
        copy_bytes(how, round.group().source<std::byte>(q) + share(q, k).begin * e.size, theirs.data,
                   theirs.size * e.size);
      }
    } else {
      block<void> const own = at(intra_node.rank(), k);
      post_exchange(
          intra_node, e, [&](int) { return own; }, [&](int q) { return at(q, k); }, how);
      finish(intra_node);
    }
  }
  if (round) round.end();
}

}  // namespace ashlar::comm_detail
