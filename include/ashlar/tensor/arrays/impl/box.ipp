// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/arrays/box.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE box_transfers transfers_of_box(plan_step const& s, ops_detail::box_in_tensor const& b,
                                             mesh_shape const& mesh, int rank) {
  box_transfers t;
  t.cross = b.most_received(mesh) != 0;
  step_transfers& m = t.steps;
  region const own = local_region(b.source, b.from, mesh, rank), needed = b.needed(mesh, rank);
  shape back = b.offset;
  for (int d = 0; d < back.rank; ++d) back[d] = -back[d];
  m.source = own.extents();
  m.destination = needed.extents();
  m.fingerprint = fingerprint_of(collective::exchange, s.axes, encode(b.from), encode_blocks(b.from), encode(b.to),
                                 encode_blocks(b.to));
  for (shape const& e : {b.source, b.destination, b.offset})
    m.fingerprint = fingerprint_of_extents(collective::exchange, m.fingerprint, e);
  for (int q = 0, p = mesh.ranks(s.axes); q < p; ++q) {
    int const peer = mesh.with_position(rank, s.axes, q);
    region const theirs = b.held(mesh, peer);
    m.out.add(own, moved(b.needed(mesh, peer), back), peer != rank && b.sends(mesh, rank, peer),
              buffer_side::destination);
    bool const serves = b.sends(mesh, peer, rank);
    m.in.add(needed, theirs, peer != rank && serves, buffer_side::source);
    m.direct.push_back(serves ? copy_loops_between(theirs, needed) : copy_loops());
  }
  m.out.finish(own);
  m.received = m.in.total;
  return t;
}

ASHLAR_INLINE std::size_t box_key::hash() const {
  auto h = reinterpret_cast<std::size_t>(layouts) / sizeof(layout_value);
  for (int d = 0; d < source.rank; ++d)
    h = h * 31 + static_cast<std::size_t>(source[d] + 7 * destination[d] + 49 * offset[d]);
  return h;
}

}  // namespace ashlar::tensor_detail
