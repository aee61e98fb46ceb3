// Rolling on real ranks.
#pragma once
#include "ashlar/plan/roll.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::detail {

// Loops between `count` indices of one dimension in two arrays, which are alike but for the extent of that dimension.
inline loop_nest<2> slabs_between(int dim, index_t count, shape const& source, index_t from, shape const& destination, index_t to) {
  local::box a, b;
  for (int d = 0; d < source.rank; ++d) a.extent[d] = b.extent[d] = source[d];
  a.extent[dim] = b.extent[dim] = count;
  a.lower[dim] = from;
  b.lower[dim] = to;
  return loops_between(source, a, destination, b);
}

// What a rank sends and receives when indices of a dimension roll; what stays on it travels in no message.
inline step_moves rolled_moves(plan_step const& s, int dim, index_t by, layout_value const& layout, shape const& extents, mesh_shape const& mesh, int rank) {
  index_t const n = extents[dim];
  step_moves m;
  m.source = m.destination = local_shape(extents, layout, mesh, rank);
  m.fingerprint = with_extents(s.what, fingerprint(s.what, s.axes, dim, by, pack(layout)), extents);
  auto const indices = [&](int r) { return local_indices(n, layout.dim[dim], mesh, r); };
  index_set const mine = indices(rank);
  // A block of a message is an array of its own.
  auto const add_to = [&](message_blocks& blocks, buffer_side side, index_t at, index_t count) {
    shape block = m.source;
    block[dim] = count;
    auto const begin = static_cast<index_t>(blocks.total);
    bool const one_piece = m.source.size() == m.source[dim] * row_major_strides(m.source).stride[dim];
    blocks.in_order = blocks.in_order && one_piece && at * row_major_strides(m.source).stride[dim] == begin;
    loop_nest<2> loops = side == buffer_side::destination ? slabs_between(dim, count, m.source, at, block, 0) : slabs_between(dim, count, block, 0, m.source, at);
    loops.origin[side == buffer_side::destination ? 1 : 0] += begin;
    blocks.loops.push_back(loops);
    blocks.count.back() += static_cast<std::size_t>(block.size());
    blocks.total += static_cast<std::size_t>(block.size());
  };
  for (int q = 0, p = mesh.ranks(s.axes); q < p; ++q) {
    int const peer = mesh.with_position(rank, s.axes, q);
    index_set const theirs = indices(peer);
    shape const their_shard = local_shape(extents, layout, mesh, peer);
    m.out.count.push_back(0);
    m.in.count.push_back(0);
    m.direct.emplace_back();
    for_each_rolled_run(n, by, mine, theirs, [&](index_t from, index_t, index_t count) {
      if (peer != rank) add_to(m.out, buffer_side::destination, from - mine.begin, count);
    });
    for_each_rolled_run(n, by, theirs, mine, [&](index_t from, index_t to, index_t count) {
      if (peer != rank) add_to(m.in, buffer_side::source, to - mine.begin, count);
      m.direct.back().push_back(slabs_between(dim, count, their_shard, from - theirs.begin, m.source, to - mine.begin));
    });
  }
  // Where whole shards travel, each to one rank, they do so as they lie.
  for (message_blocks* blocks : {&m.out, &m.in}) blocks->in_order = blocks->in_order && static_cast<index_t>(blocks->total) == m.source.size();
  m.received = m.in.total;
  return m;
}

/// Collective: the ranks that split dimension Dim; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> roll_shard(rolled_along<Dim>, sharded_tensor<T, L, M, Space> const& x, index_t by, where const& w) {
  if (by == 0) return share<L>(x, x.extents());
  auto const& m = x.mesh();
  plan_step const step = rolling_step<Dim>(x, by, w);
  communicator const& ranks = m.communicator(step.axes);
  step_moves const moves = rolled_moves(step, Dim, by, x.layout, x.extents(), m.sizes(), m.rank());
  Space const space{};
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  auto const* const source = static_cast<T const*>(x.data());
  copy_loops const& stays = moves.direct[static_cast<std::size_t>(ranks.rank())];
  if (ranks.size() == 1) {
    copy_boxes(space, source, y.data(), stays);
    return y;
  }
  verb_scope const scope(m, step, fingerprint(step.what, moves.fingerprint, sizeof(T)), moves.received * sizeof(T), w);
  if (exchange_on_node(space, step, moves, ranks, source, y.data())) return y;
  exchange(space, step, moves, ranks, source, y.data());  // which may use all of the destination
  copy_boxes(space, source, y.data(), stays);
  return y;
}

}  // namespace ashlar::detail
