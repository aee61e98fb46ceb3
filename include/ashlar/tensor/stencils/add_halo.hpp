// SPDX-License-Identifier: BSL-1.0
// The sums of halos into the cells of their owners on real ranks: the transpose of their exchange.
#pragma once
#include "ashlar/kernels/stencils/add_cells.hpp"
#include "ashlar/tensor/given_cells.hpp"
#include "ashlar/tensor/stencils/halo.hpp"

namespace ashlar::tensor_detail {

/// The transposes of fills, last fill first. Cells that a fill sets to 0 are dropped.
template <class Space, class T>
void add_edges_back(Space const& space, std::vector<edge_fill> const& fills, T* cells) {
  for (std::size_t i = fills.size(); i-- > 0;) {
    edge_fill const& e = fills[i];
    if (e.factor == 0) continue;
    bool itself = e.loops.origin[0] == e.loops.origin[1];
    for (int d = 0; d < e.loops.rank; ++d) itself = itself && e.loops.stride[0][d] == e.loops.stride[1][d];
    if (itself)
      fill_edges(space, {e}, cells);  // a change of sign is its own transpose
    else
      add_cells(space, cells, cells, e.loops, e.factor);
  }
}

inline loop_nest<2> with_arrays_swapped(loop_nest<2> loops) {
  std::swap(loops.origin[0], loops.origin[1]);
  std::swap(loops.stride[0], loops.stride[1]);
  return loops;
}

/// Messages of halo cells to their owners, which add them, from their post until they have arrived.
template <class T, class Space>
class messages_to_owners {
 public:
  /// Packs halo cells, and posts one message for each peer. The transfers live as long as this object.
  messages_to_owners(communicator const& ranks, Space const& space, halo_transfers const& t, which_peers which,
                     T const* cells)
      : sent_(messages_with(t.in, 0, ranks, which, some_sent_)),
        received_(messages_with(t.out, 1, ranks, which, some_received_)),
        stored_(t.stored) {
    if (sent_.total + received_.total == 0) return;
    packed_.allocate(sent_.buffered);
    arrived_.allocate(received_.buffered);
    copy_loops packing;
    for (loop_nest<2> const& box : sent_.loops) packing.push_back(with_arrays_swapped(box));
    strided_copy(space, cells, packed_.data(), packing);
    memory_.emplace(mpi_reads<Space>(), space, packed_.data(), sent_.buffered, arrived_.data(), received_.buffered);
    post_cells<T>(ranks, received_.messages, sent_.messages, *memory_, nullptr);  // all are buffered
  }
  messages_to_owners(messages_to_owners const&) = delete;
  messages_to_owners& operator=(messages_to_owners const&) = delete;

  /// Adds the cells of the next peers, in the order of the peers. On a device one kernel adds the cells of several. Call it when
  /// all messages have arrived.
  void add_next(Space const& space, T* cells, std::size_t peers = 1) {
    if (peers == 0) return;
    if (next_ == 0) memory_->finish();
    std::size_t const first = box_;
    for (std::size_t const last = next_ + peers; next_ < last; ++next_) box_ += received_.messages[next_].boxes;
    add_boxes(space, arrived_.data(), cells, stored_, std::span(received_.loops).subspan(first, box_ - first));
  }

 private:
  halo_messages some_sent_, some_received_;
  halo_messages const &sent_, &received_;
  shape stored_;
  pool_scratch<Space, T> packed_, arrived_;
  std::optional<mpi_memory<Space, T>> memory_;
  std::size_t next_ = 0, box_ = 0;  // the next message, and its first box
};

/// Sends the halo cells back and adds them to the cells of this rank, in place. Ranks of a node read each other's halo, others
/// send messages.
/// Pre: `ranks` differ along the step's axes, and are at least 2.
/// Collective: over `ranks`; blocks.
template <class Space, class T, class M>
void add_halo_cells(device_mesh<M> const& m, communicator const& ranks, plan_step const& s, halo_transfers const& t,
                    T* cells, call_site const& w) {
  Space const space{};
  std::uint64_t const fingerprint = fingerprint_of(collective::add_halo, t.fingerprint, element_code<T>);
  collective_scope const scope(m, s, fingerprint, t.out.total * sizeof(T), w);
  ranks.counters().all_to_all.add(t.in.total * sizeof(T));
  complete_unfinished(ranks_of_node(ranks));  // it waits for messages, and this call posts its own before the round
  try {
    auto const which = peers_of_first_messages<Space>(ranks);
    messages_to_owners<T, Space> first(ranks, space, t, which, cells);
    if constexpr (runs_in_caller<Space>)
      if (which != which_peers::all) {
        // Terms are added in the order of the peers, so results do not depend on the nodes.
        auto const add_all = [&](auto const& add_from_node) {
          for (std::size_t i = 0; i < t.out.messages.size(); ++i) {
            int const place = place_on_node(ranks, t.out.messages[i].peer);
            if (place < 0)
              first.add_next(space, cells);
            else
              add_from_node(i, place);
          }
        };
        node_round round(ranks_of_node(ranks), fingerprint, cells, static_cast<std::size_t>(t.stored.size()));
        if (round) {
          finish(ranks);
          add_all([&](std::size_t i, int place) {
            for (loop_nest<2> const& box : t.back[i])
              add_cells(space, round.group().template source<T>(place), cells, box);
          });
          round.end();
        } else {
          messages_to_owners<T, Space> late(ranks, space, t, which_peers::of_this_node, cells);
          finish(ranks);
          add_all([&](std::size_t, int) { late.add_next(space, cells); });
        }
        return;
      }
    finish(ranks);
    first.add_next(space, cells, t.out.messages.size());
  } catch (...) {
    if (ranks.state().requests.size() != 0)
      comm_detail::give_up(ranks);  // the wait in memory has failed, beside messages
    throw;
  }
}

/// Collective: the ranks that differ along axes that shard a dimension with room; blocks.
template <class To, corners C, class T, class H, class M, class Space>
sharded_tensor<T, To, M, Space> add_halo_cells(real_ranks runs, sharded_tensor<T, H, M, Space> x, call_site const& w) {
  Space const space{};
  own_memory(runs, x);
  plan_step const& s = ops_detail::halo_step<M, H, step_kind::add_halo>;
  communicator const& ranks = x.mesh().communicator(s.axes);
  auto const transfers = halo_transfers_for(x, s, C == corners::filled, false);
  add_edges_back(space, transfers->edges, all_cells_of(x));
  if (ranks.size() > 1) add_halo_cells<Space>(x.mesh(), ranks, s, *transfers, all_cells_of(x), w);
  if (C == corners::skipped) add_edges_back(space, transfers->early_edges, all_cells_of(x));  // else `edges` has them
  sharded_tensor<T, To, M, Space> y(x.mesh(), x.extents(), block_of(x), 0);
  clear_given_cells(space, y);
  return y;
}

template <class X>
void clear_given(real_ranks, X const& x) {
  clear_given_cells(typename X::execution_space{}, x);
}

}  // namespace ashlar::tensor_detail
