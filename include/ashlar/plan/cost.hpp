// What a step costs: bytes that a rank receives, and memory.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/step.hpp"

namespace ashlar {

namespace detail {

// Is a part of a row-major array, given by the regions of both, one contiguous piece of it?
constexpr bool is_contiguous(region const& part, region const& of) {
  if (part.size() == 0) return true;
  int d = 0;
  while (d < of.rank && part.dim[d].size() == 1) ++d;
  for (++d; d < of.rank; ++d)
    if (part.dim[d].size() != of.dim[d].size()) return false;
  return true;
}

// Elements of a rank's shard `mine` that it exchanges with the shards of its peers in the layout `theirs`, or 0 where
// every part is contiguous.
constexpr index_t packed_elements(region const& mine, layout_value const& theirs, axis_mask axes, shape const& global,
                                  mesh_shape const& mesh, int rank) {
  index_t n = 0;
  bool packs = false;
  for (int i = 0, q = mesh.ranks(axes); i < q; ++i) {
    int const peer = mesh.with_position(rank, axes, i);
    region const part = intersect(mine, local_region(global, theirs, mesh, peer));
    n += part.size();
    packs = packs || (peer != rank && !is_contiguous(part, mine));
  }
  return packs ? n : 0;
}

// Elements of the rank that lacks most of its new shard, or, if it is reduced, of the largest ring: what a rank sees pass
// by is all that its group keeps, but the smallest shard.
constexpr index_t most_received(plan_step const& s, shape const& global, mesh_shape const& mesh) {
  axis_mask const named = s.from.sharding() | s.to.sharding();  // along all others shards are the same
  index_t most = 0;
  for (int i = 0, n = mesh.ranks(named); i < n; ++i) {
    int const rank = mesh.with_position(0, named, i);
    region const shard = local_region(global, s.to, mesh, rank);
    index_t received = shard.size();
    if (s.what != verb::reduce_scatter) {
      received -= intersect(shard, local_region(global, s.from, mesh, rank)).size();
    } else if (mesh.position(rank, s.axes) == 0) {
      index_t smallest = received;
      for (int p = 1, q = mesh.ranks(s.axes); p < q; ++p) {
        index_t const m = local_region(global, s.to, mesh, mesh.with_position(rank, s.axes, p)).size();
        received += m;
        if (m < smallest) smallest = m;
      }
      received -= smallest;
    } else {
      continue;
    }
    if (most < received) most = received;
  }
  return most;
}

}  // namespace detail

/// Bytes that the rank which receives most receives in one step; 0 where the step's axes all have size 1.
/// slice, pad: 0. all_reduce of n elements over q ranks: 2 (n - floor(n / q)). reduce_scatter: the shards of a group but
/// the smallest, (q - 1) shards where they are equal. broadcast: the shard. All others: what of the new shard the old one
/// lacks.
constexpr index_t step_bytes(plan_step const& s, shape const& global, mesh_shape const& mesh, index_t element_bytes) {
  index_t const q = mesh.ranks(s.axes);
  if (!communicates(s.what) || q == 1) return 0;
  index_t const n = largest_shard(global, s.from, mesh);
  if (s.what == verb::all_reduce) return 2 * (n - n / q) * element_bytes;
  if (s.what == verb::broadcast) return n * element_bytes;
  return detail::most_received(s, global, mesh) * element_bytes;
}

/// Elements that a rank comes to hold in a step: its new shard, and a packed copy on each side that packs. A side packs
/// where its part of what goes to or comes from some other rank is not contiguous in its row-major shard; the copy holds
/// all that the collective moves, and copies of a shard share the work of sending it.
constexpr index_t step_elements(plan_step const& s, shape const& global, mesh_shape const& mesh, int rank) {
  region const before = local_region(global, s.from, mesh, rank), after = local_region(global, s.to, mesh, rank);
  index_t const size = after.size();
  if (!communicates(s.what) || s.what == verb::all_reduce || s.what == verb::broadcast) return size;
  index_t const copies = mesh.ranks(s.axes & ~s.from.named());
  index_t const sent = (detail::packed_elements(before, s.to, s.axes, global, mesh, rank) + copies - 1) / copies;
  index_t const received =
      s.what == verb::reduce_scatter ? 0 : detail::packed_elements(after, s.from, s.axes, global, mesh, rank);
  return size + (sent < before.size() ? sent : before.size()) + (received < size ? received : size);
}

}  // namespace ashlar
