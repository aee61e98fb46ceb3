// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/arrays/roll.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE step_transfers rolled_transfers(plan_step const& s, int dim, index_t by, layout_value const& layout,
                                              shape const& extents, mesh_shape const& mesh, int rank) {
  index_t const n = extents[dim];
  step_transfers m;
  region const own = local_region(extents, layout, mesh, rank);
  m.source = m.destination = own.extents();
  m.fingerprint = fingerprint_of_extents(
      collective_of(s.what), fingerprint_of(collective_of(s.what), s.axes, dim, by, encode(layout)), extents);
  index_set const mine = own.dim[dim];
  index_t const stride = row_major_strides(m.source).stride[dim];
  bool const in_one_piece = m.source.size() == m.source[dim] * stride;  // a range of indices is contiguous
  // A block to or from a rank: one or two runs, each an array of its own. Whole shards are not packed.
  struct block_of_runs {
    std::size_t size = 0;
    index_t at = -1;
  };
  auto const add_run = [&](message_blocks& blocks, buffer_side side, block_of_runs& block, index_t at, index_t count) {
    shape run = m.source;
    run[dim] = count;
    loop_nest<2> loops = side == buffer_side::destination ? slabs_between(dim, count, m.source, at, run, 0)
                                                          : slabs_between(dim, count, run, 0, m.source, at);
    loops.origin[side == buffer_side::destination ? 1 : 0] += static_cast<index_t>(blocks.total + block.size);
    blocks.loops.push_back(loops);
    block.at = block.size == 0 && in_one_piece ? at * stride : -1;
    block.size += static_cast<std::size_t>(run.size());
  };
  for (int q = 0, p = mesh.ranks(s.axes); q < p; ++q) {
    int const peer = mesh.with_position(rank, s.axes, q);
    index_set const theirs = local_indices(n, layout.dim[dim], mesh, peer);
    shape const their_shard = local_shape(extents, layout, mesh, peer);
    block_of_runs sent, received;
    m.direct.emplace_back();
    for_each_rolled_run(n, by, mine, theirs, [&](index_t from, index_t, index_t count) {
      if (peer != rank) add_run(m.out, buffer_side::destination, sent, from - mine.begin, count);
    });
    for_each_rolled_run(n, by, theirs, mine, [&](index_t from, index_t to, index_t count) {
      if (peer != rank) add_run(m.in, buffer_side::source, received, to - mine.begin, count);
      m.direct.back().push_back(slabs_between(dim, count, their_shard, from - theirs.begin, m.source, to - mine.begin));
    });
    m.out.close(sent.size, sent.at);
    m.in.close(received.size, received.at);
  }
  m.out.finish(own);
  m.in.finish(own);
  m.received = m.in.total;
  return m;
}

}  // namespace ashlar::tensor_detail
