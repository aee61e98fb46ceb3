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

/// A range of elements of an array that a rank combines, or has.
struct element_range {
  std::size_t begin, size;
};
inline element_range range_of_rank(std::size_t const* starts, int rank) {
  return {starts[rank], starts[rank + 1] - starts[rank]};
}

/// Combines a range of every rank's operand on the threads of `how`. Calls write(begin, values, count) with pieces of the
/// result, on several threads at once.
template <class Op, class T, class Write>
void combine_sources(comm::tuning const& how, node_group const& g, element_range part, Write write) {
  for_elements_of<T>(how, part.size, [&](std::size_t begin, std::size_t end) {
    combine_sources<Op, T>(g, part.begin + begin, end - begin, write);
  });
}

/// Combines the ranges share(own local rank, 0 .. count - 1) of the arrays of a node's ranks. The results follow one
/// after the other in `out`. If count is 1, `out` may be the place of the range in `source`.
template <class Op, class T, class Share>
void combine_intra_node(communicator const& intra_node, T const* source, std::size_t n, int count, Share share, T* out,
                        comm::tuning const& how) {
  node_round<T> round(intra_node, fingerprint_of(collective::reduce_scatter, n, element_code<T>), source, n);
  for (int k = 0; k < count; ++k) {
    element_range const own = share(intra_node.rank(), k);
    if (round) {
      combine_sources<Op, T>(how, round.group(), own, [&](std::size_t at, T const* sum, std::size_t m) {
        copy_block(sum, out + (at - own.begin), m);
      });
    } else if (intra_node.size() == 1) {
      copy_block(how, source + own.begin, out, own.size);
    } else {
      received_arrays<T> const received(intra_node, own.size);
      auto const send = [&](int q) { return block<T const>{source + share(q, k).begin, share(q, k).size}; };
      post_exchange(
          intra_node, send,
          [&](int q) {
            return block<T>{received.from(q), own.size};
          },
          how);
      finish(intra_node);
      received.template combine<Op>(how, source + own.begin, out, own.size);
    }
    out += own.size;
  }
  if (round) round.end();
}

/// Gathers an array of n elements on every rank of a node.
/// Pre: a rank has its ranges share(local rank, 0 .. count - 1) of the array.
template <class T, class Share>
void gather_intra_node(communicator const& intra_node, T* data, std::size_t n, int count, Share share,
                       comm::tuning const& how) {
  node_round<T> round(intra_node, fingerprint_of(collective::all_gather, n, element_code<T>),
                      static_cast<T const*>(data), n);
  for (int k = 0; k < count; ++k) {
    if (round) {
      for (int d = 1; d < intra_node.size(); ++d) {
        int const q = (intra_node.rank() + d) % intra_node.size();
        element_range const theirs = share(q, k);
        copy_block(how, round.group().template source<T>(q) + theirs.begin, data + theirs.begin, theirs.size);
      }
    } else {
      element_range const own = share(intra_node.rank(), k);
      post_exchange(
          intra_node,
          [&](int) {
            return block<T const>{data + own.begin, own.size};
          },
          [&](int q) {
            return block<T>{data + share(q, k).begin, share(q, k).size};
          },
          how);
      finish(intra_node);
    }
  }
  if (round) round.end();
}

}  // namespace ashlar::comm_detail
