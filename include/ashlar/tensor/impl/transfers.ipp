// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/transfers.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE void step_transfers::send(region const& own, region const& theirs, bool serves) {
  std::size_t const before = out.loops.size();
  auto const moved = static_cast<index_t>(once.total) - static_cast<index_t>(out.total);
  out.add(own, theirs, serves, buffer_side::destination, order);
  std::size_t i = 0;
  while (i < asked.size() && (out.count[i] == 0 || asked[i] != theirs)) ++i;
  bool const again = out.count.back() != 0 && i != asked.size();
  at.push_back(again ? at[i] : once.total);
  for (std::size_t k = before; k < out.loops.size() && !again; ++k) {
    once.loops.push_back(out.loops[k]);
    once.loops.back().origin[1] += moved;
  }
  once.close(again ? 0 : out.count.back(), out.begins.back());
  asked.push_back(theirs);
}

ASHLAR_INLINE void step_transfers::receive(region const& own, region const& theirs, bool serves) {
  in.add(own, theirs, serves, buffer_side::source);
  direct.push_back(serves ? copy_loops_between(theirs, own, order) : copy_loops());
}

ASHLAR_INLINE void step_transfers::finish(region const& own_source, region const& own_destination, int self) {
  if (once.total == out.total)
    once = {}, at.clear();
  else
    once.finish(own_source);
  asked = {};
  out.finish(own_source);
  in.finish(own_destination);
  if (!in.count.empty()) received = in.total - in.count[static_cast<std::size_t>(self)];
}

ASHLAR_INLINE std::uint64_t fingerprint_of_extents(collective what, std::uint64_t fingerprint, shape const& extents) {
  for (int d = 0; d < extents.rank; ++d) fingerprint = fingerprint_of(what, fingerprint, extents[d]);
  return fingerprint;
}

ASHLAR_INLINE step_transfers transfers_of(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank,
                                          dimension_order const& order) {
  region const source = local_region(extents, s.from, mesh, rank),
               destination = local_region(extents, s.to, mesh, rank);
  int const ranks = mesh.ranks(s.axes);
  step_kind const what = ranks == 1 ? step_kind::slice : s.what;
  step_transfers m;
  m.source = source.extents();
  m.destination = destination.extents();
  m.even = is_even(extents, s.from, mesh) && is_even(extents, s.to, mesh);
  m.order = order;

  if (communicates(s.what)) {
    collective const c = collective_of(s.what);
    m.fingerprint = fingerprint_of_extents(
        c, fingerprint_of(c, s.axes, s.op, encode(s.from), encode_blocks(s.from), encode(s.to), encode_blocks(s.to)),
        extents);
    for (int d = 0; d < extents.rank; ++d) m.fingerprint = fingerprint_of(c, m.fingerprint, order.of[d]);
  }

  axis_mask const copies = s.axes & ~s.from.sharding();
  auto const peer = [&](int position) { return mesh.with_position(rank, s.axes, position); };
  if (what == step_kind::slice || what == step_kind::pad) {
    bool const idempotent = s.op == op_max || s.op == op_min;
    m.keeps = what == step_kind::slice || idempotent || mesh.position(rank, copies) == 0;
    m.all_stays = source == destination && order == dimension_order();
    if (m.keeps) m.kept = copy_loops_between(source, destination, order);
    return m;
  }
  if (what == collective::all_reduce) {
    m.received = static_cast<std::size_t>(2 * (m.source.size() - m.source.size() / ranks));
    return m;
  }

  // If several ranks hold the same elements, the rank that shares the receiver's coordinates sends them.
  auto const serves = [&](int sender, int receiver) {
    return what == collective::reduce_scatter || mesh.position(sender, copies) == mesh.position(receiver, copies);
  };
  if (what == collective::reduce_scatter) m.kept = copy_loops_between(source, destination, order);
  if (what == collective::all_gather) m.send(source, source, true);
  for (int i = 0; i < ranks; ++i) {
    int const p = peer(i);
    if (what != collective::all_gather) m.send(source, local_region(extents, s.to, mesh, p), serves(rank, p));
    if (what != collective::reduce_scatter)
      m.receive(destination, local_region(extents, s.from, mesh, p), serves(p, rank));
  }
  m.finish(source, destination, mesh.position(rank, s.axes));
  if (what == collective::reduce_scatter) m.received = static_cast<std::size_t>((ranks - 1) * m.destination.size());
  return m;
}

ASHLAR_INLINE std::size_t transfers_key::hash() const {
  auto h = reinterpret_cast<std::size_t>(of) / sizeof(plan_step);
  for (int d = 0; d < extents.rank; ++d) h = h * 31 + static_cast<std::size_t>(extents[d] + order.of[d]);
  return (h * 31 + static_cast<std::size_t>(by)) * 31 + static_cast<std::size_t>(variant);
}

ASHLAR_INLINE std::shared_ptr<step_transfers const> const& remembered_transfers(plan_step const& s,
                                                                                shape const& extents,
                                                                                mesh_shape const& mesh, int rank,
                                                                                dimension_order const& order) {
  return remembered({&s, extents, mesh, rank, order}, [&] { return transfers_of(s, extents, mesh, rank, order); });
}

}  // namespace ashlar::tensor_detail
