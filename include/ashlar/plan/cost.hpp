// What a step costs: bytes that a rank receives, and memory.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/step.hpp"

namespace ashlar {

namespace detail {

// What a row-major shard has in common with another: how many elements, and where they begin if they are one piece of
// memory, otherwise -1.
struct common_part {
  index_t size = 1, at = 0;
};
constexpr common_part common_part_of(region const& shard, region const& other) {
  shape const extents = shard.extents();
  common_part c;
  bool cut = false;  // a dimension of which the part has several indices ends what later ones may lack
  for (int d = 0; d < shard.rank; ++d) {
    overlap const o = overlap_of(shard.dim[d], other.dim[d]);
    c.size *= o.size;
    if (!o.adjacent || (cut && o.size != extents[d])) c.at = -1;
    cut = cut || o.size > 1;
    if (c.at >= 0) c.at += o.at * extents.stride(d);
  }
  return c;
}

// Elements of a rank's shard that are packed on their way to or from the shards that its peers have in the layout
// `theirs`: none where its parts for them, one after the other, are the shard as it lies in memory.
constexpr index_t packed_elements(region const& shard, layout_value const& theirs, axis_mask peers, shape const& global,
                                  mesh_shape const& mesh, int rank) {
  index_t n = 0;
  bool in_order = true;
  for (int i = 0, q = mesh.ranks(peers); i < q; ++i) {
    common_part const part = common_part_of(shard, local_region(global, theirs, mesh, mesh.with_position(rank, peers, i)));
    if (part.size == 0) continue;
    in_order = in_order && part.at == n;
    n += part.size;
  }
  return in_order && n == shard.size() ? 0 : n;
}

// Elements that the rank lacks which lacks most of its new shard; or, in a reduce_scatter, that pass by a rank of the
// largest ring: all that its group keeps, but the smallest shard.
constexpr index_t most_received(plan_step const& s, shape const& global, mesh_shape const& mesh) {
  axis_mask const named = s.from.sharding() | s.to.sharding();  // along all others shards are the same
  index_t most = 0;
  for (int i = 0, n = mesh.ranks(named); i < n; ++i) {
    int const rank = mesh.with_position(0, named, i);
    region const shard = local_region(global, s.to, mesh, rank);
    index_t received = shard.size();
    if (s.what != collective::reduce_scatter) {
      received -= common_size(shard, local_region(global, s.from, mesh, rank));
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

// Messages that a rank receives when q ranks take part.
constexpr index_t messages_among(index_t q, step_kind what) {
  if (!communicates(what) || q == 1) return 0;
  return what == step_kind::permute ? 1 : what == step_kind::all_reduce ? 2 * (q - 1) : q - 1;
}

}  // namespace detail

/// Messages that a rank receives in one step over q ranks, in a direct algorithm: 1 of a permute, 2 (q - 1) of an all_reduce
/// (its sums are scattered, then gathered), q - 1 of all others.
constexpr index_t step_messages(plan_step const& s, mesh_shape const& mesh) { return detail::messages_among(mesh.ranks(s.axes), s.what); }

/// Bytes that the rank which receives most receives in one step; 0 where the step's axes all have size 1.
/// slice, pad: 0. all_reduce of n elements over q ranks: 2 (n - floor(n / q)). reduce_scatter: all shards of a group
/// but the smallest, (q - 1) shards where they are equal. broadcast: the shard. All others: what of the new shard the
/// old one lacks.
constexpr index_t step_bytes(plan_step const& s, shape const& global, mesh_shape const& mesh, index_t element_bytes) {
  index_t const q = mesh.ranks(s.axes);
  if (!communicates(s.what) || q == 1) return 0;
  index_t const n = largest_shard(global, s.from, mesh);
  if (s.what == collective::all_reduce) return 2 * (n - n / q) * element_bytes;
  if (s.what == collective::broadcast) return n * element_bytes;
  return detail::most_received(s, global, mesh) * element_bytes;
}

/// Elements that a rank comes to hold in a step: its new shard, and a buffer if a side packs, as large as what is packed; it
/// serves both sides, since what one of them packs lies in the memory of the new shard. A side packs unless its parts for
/// the other ranks, in their order, are its row-major shard as it lies in memory; what several ranks are sent is packed once.
/// Of several ranks that hold the same, each serves those whose coordinates it shares.
constexpr index_t step_elements(plan_step const& s, shape const& global, mesh_shape const& mesh, int rank) {
  region const before = local_region(global, s.from, mesh, rank), after = local_region(global, s.to, mesh, rank);
  if (!communicates(s.what) || s.what == collective::all_reduce || s.what == collective::broadcast || mesh.ranks(s.axes) == 1) return after.size();
  bool const reduces = s.what == collective::reduce_scatter;
  axis_mask const peers = reduces ? s.axes : s.axes & s.from.sharding();  // of those that `to` does not split over, all get the same
  index_t const sent = s.what == collective::all_gather ? 0 : detail::packed_elements(before, s.to, peers & s.to.sharding(), global, mesh, rank);
  index_t const received = reduces ? 0 : detail::packed_elements(after, s.from, peers, global, mesh, rank);
  return after.size() + (sent < received ? received : sent);
}

}  // namespace ashlar
