// Rolling on real ranks.
#pragma once
#include "ashlar/comm/all_to_all.hpp"
#include "ashlar/plan/roll.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/staging.hpp"
#include "ashlar/tensor/verb_scope.hpp"

namespace ashlar::detail {

/// Collective: the ranks that split dimension Dim; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> roll_shard(rolled_along<Dim>, sharded_tensor<T, L, M, Space> const& x, index_t by, where const& w) {
  if (by == 0) return share<L>(x, x.extents());
  auto const& m = x.mesh();
  plan_step const step = rolling_step<Dim>(x, by, w);
  communicator const& ranks = m.communicator(step.axes);
  Space const space{};
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  index_t const n = x.extents()[Dim];
  index_set const mine = x.local_region().dim[Dim];
  shape const extents = x.local_extents();

  auto const box_of = [&](index_t first, index_t count) {
    local::box b;
    for (int d = 0; d < extents.rank; ++d) b.extent[d] = extents[d];
    b.lower[Dim] = first;
    b.extent[Dim] = count;
    return b;
  };
  // Calls f(q, from, to, count) for what goes from this rank to rank q, or comes from it.
  auto const for_each_message = [&](bool outwards, auto&& f) {
    for (int q = 0; q < ranks.size(); ++q) {
      index_set const theirs = local_indices(n, x.layout.dim[Dim], m.sizes(), m.sizes().with_position(m.rank(), step.axes, q));
      auto const of_q = [&](index_t from, index_t to, index_t count) { f(q, from - mine.begin, to - mine.begin, count); };
      if (outwards)
        for_each_rolled_run(n, by, mine, theirs, of_q);
      else
        for_each_rolled_run(n, by, theirs, mine, of_q);
    }
  };
  // Copies between a shard and a buffer in which the boxes of all messages follow each other.
  auto const counts = [&](bool outwards, std::vector<std::size_t>& count) {
    std::size_t total = 0;
    for_each_message(outwards, [&](int q, index_t, index_t, index_t rows) {
      if (q == ranks.rank()) return;
      auto const elements = static_cast<std::size_t>(box_of(0, rows).shape(extents.rank).size());
      count[static_cast<std::size_t>(q)] += elements;
      total += elements;
    });
    return total;
  };
  std::vector<std::size_t> send(static_cast<std::size_t>(ranks.size())), receive(send.size());
  std::size_t const sent = counts(true, send), received = counts(false, receive);
  pool_scratch<Space, T> const out(sent), in(received);

  T* next = out.data();
  for_each_message(true, [&](int q, index_t from, index_t to, index_t rows) {
    local::box const target = box_of(0, rows);
    shape const block = target.shape(extents.rank);
    if (q == ranks.rank()) return local::copy_box(space, static_cast<T const*>(x.data()), extents, box_of(from, rows), y.data(), extents, box_of(to, rows));
    local::copy_box(space, static_cast<T const*>(x.data()), extents, box_of(from, rows), next, block, target);
    next += block.size();
  });
  if (ranks.size() == 1) return y;
  {
    std::uint64_t print = fingerprint(step.what, step.axes, Dim, by, pack(x.layout), sizeof(T));
    for (int d = 0; d < x.extents().rank; ++d) print = fingerprint(step.what, print, x.extents()[d]);
    verb_scope const scope(m, step, print, received * sizeof(T), w);
    with_mpi_memory(space, static_cast<T const*>(out.data()), sent, in.data(), received,
                    [&](T const* source, T* destination) { comm::all_to_all(ranks, source, std::span<std::size_t const>(send), destination, std::span<std::size_t const>(receive)); });
  }
  T const* arrived = in.data();
  for_each_message(false, [&](int q, index_t, index_t to, index_t rows) {
    if (q == ranks.rank()) return;
    local::box const source = box_of(0, rows);
    shape const block = source.shape(extents.rank);
    local::copy_box(space, arrived, block, source, y.data(), extents, box_of(to, rows));
    arrived += block.size();
  });
  return y;
}

}  // namespace ashlar::detail
