// The sums of halos into the cells of their owners on real ranks: the transpose of their exchange.
#pragma once
#include "ashlar/tensor/given_cells.hpp"
#include "ashlar/tensor/halo.hpp"

namespace ashlar::tensor_detail {

// from += factor * to, along loops in which no cell `from` occurs twice; or to = -to if both are one array.
template <class T>
struct add_signed {
  T const* added;
  T* cells;
  loop_nest<2> loops;  // of the cells to which others are added, and of those
  int factor;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t offset[2];
    loops.locate(i, offset);
    cells[offset[0]] = static_cast<T>(cells[offset[0]] + (factor < 0 ? -added[offset[1]] : added[offset[1]]));
  }
};
template <class Space, class T>
void add_cells(Space const& space, T const* added, T* cells, loop_nest<2> const& loops, int factor = 1) {
  if constexpr (runs_in_caller<Space>) {
    for_each_rectangle(loops, 0, loops.size(), [&](index_t const(&offset)[2], index_t rows, index_t length) {
      index_t const step = loops.step(0), step_of_added = loops.step(1);
      for (index_t r = 0; r < rows; ++r) {
        T* const to = cells + offset[0] + r * loops.row_stride(0);
        T const* const from = added + offset[1] + r * loops.row_stride(1);
        for (index_t j = 0; j < length; ++j) {
          T const x = from[j * step_of_added];
          to[j * step] = static_cast<T>(to[j * step] + (factor < 0 ? -x : x));
        }
      }
    });
  } else {
    // Cells that are added to one cell come one after the other.
    for (int d = 0; d < loops.rank; ++d)
      if (loops.stride[0][d] == 0 && loops.extent[d] > 1) {
        for (index_t k = 0; k < loops.extent[d]; ++k) add_cells(space, added, cells, loops.part(d, k, k + 1), factor);
        return;
      }
    for_elements("ashlar::add_halo", space, loops.size(), add_signed<T>{added, cells, loops, factor});
  }
}

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
      add_cells(space, static_cast<T const*>(cells), cells, e.loops, e.factor);
  }
}

inline loop_nest<2> with_arrays_swapped(loop_nest<2> loops) {
  std::swap(loops.origin[0], loops.origin[1]);
  std::swap(loops.stride[0], loops.stride[1]);
  return loops;
}

/// Sends the halo cells back and adds them to the cells of this rank, in place. Ranks of a node read each other's halo.
/// Pre: `ranks` differ along the step's axes, and are at least 2.
/// Collective: over `ranks`; blocks.
template <class Space, class T, class M>
void add_halo_cells(device_mesh<M> const& m, communicator const& ranks, plan_step const& s, halo_transfers const& t,
                    T* cells, call_site const& w) {
  Space const space{};
  halo_messages const &sent = t.in, &received = t.out;
  std::uint64_t const fingerprint = fingerprint_of(collective::add_halo, t.fingerprint, element_code<T>);
  collective_scope const scope(m, s, fingerprint, received.total * sizeof(T), w);
  ranks.counters().all_to_all.add(sent.total * sizeof(T));
  if constexpr (runs_in_caller<Space>) {
    if (node_round<T> round(ranks, fingerprint, cells, static_cast<std::size_t>(t.stored.size())); round) {
      for (std::size_t i = 0; i < t.back.size(); ++i)
        for (loop_nest<2> const& box : t.back[i])
          add_cells(space, round.group().template source<T>(received.messages[i].peer), cells, box);
      round.end();
      return;
    }
  }
  pool_scratch<Space, T> packed(sent.buffered), arrived(received.buffered);
  for (loop_nest<2> const& box : sent.loops) {
    loop_nest<2> const packing[]{with_arrays_swapped(box)};
    strided_copy(space, static_cast<T const*>(cells), packed.data(), packing);
  }
  mpi_memory<Space, T> memory(mpi_reads<Space>(), space, packed.data(), sent.buffered, arrived.data(),
                              received.buffered);
  for (halo_message const& x : received.messages)
    post_receive(ranks, block<T>{memory.destination() + x.at, x.count}, x.peer, comm::tuned);
  for (halo_message const& x : sent.messages)
    post_send(ranks, block<T const>{memory.source() + x.at, x.count}, x.peer, comm::tuned);
  finish(ranks);
  memory.finish();
  for (loop_nest<2> const& box : received.loops) add_cells(space, static_cast<T const*>(arrived.data()), cells, box);
}

/// Collective: the ranks that differ along axes that shard a dimension with room; blocks.
template <class To, corners C, class T, class H, class M, class Space>
sharded_tensor<T, To, M, Space> add_halo(sharded_tensor<T, H, M, Space> x, call_site const& w) {
  Space const space{};
  own_memory(x);
  plan_step const& s = ops_detail::halo_step<M, H, step_kind::add_halo>;
  communicator const& ranks = x.mesh().communicator(s.axes);
  auto const transfers = halo_transfers_for(x, s, C == corners::all, false);
  add_edges_back(space, transfers->edges, all_cells_of(x));
  if (ranks.size() > 1) add_halo_cells<Space>(x.mesh(), ranks, s, *transfers, all_cells_of(x), w);
  if (C == corners::none) add_edges_back(space, transfers->early_edges, all_cells_of(x));  // else `edges` has them
  sharded_tensor<T, To, M, Space> const y(x.mesh(), x.extents(), x.owner());
  clear_given_cells(space, y);
  return y;
}

}  // namespace ashlar::tensor_detail
