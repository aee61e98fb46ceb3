// The cost of a step: bytes and messages that a rank receives, and memory.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/step.hpp"

namespace ashlar {

namespace plan_detail {

// The common part of a row-major shard and another region: its number of elements, and its offset in the shard. The
// offset is -1 if the part is not contiguous there.
struct common_part {
  index_t size = 1, at = 0;
};
constexpr common_part common_part_of(region const& shard, region const& other) {
  shape const extents = shard.extents();
  common_part c;
  bool cut = false;  // true after a dimension in which the part has several indices: later ones must be complete
  for (int d = 0; d < shard.rank; ++d) {
    overlap const o = overlap_of(shard.dim[d], other.dim[d]);
    c.size *= o.size;
    if (!o.adjacent || (cut && o.size != extents[d])) c.at = -1;
    cut = cut || o.size > 1;
    if (c.at >= 0) c.at += o.at * extents.stride(d);
  }
  return c;
}

// Number of elements of a rank's shard that are packed on their way to or from the peers' shards of layout `theirs`. It
// is 0 if the parts for the peers, one after the other, are the shard in memory order.
constexpr index_t packed_elements(region const& shard, layout_value const& theirs, axis_mask peers, shape const& global,
                                  mesh_shape const& mesh, int rank) {
  index_t n = 0;
  bool in_order = true;
  for (int i = 0, q = mesh.ranks(peers); i < q; ++i) {
    common_part const part =
        common_part_of(shard, local_region(global, theirs, mesh, mesh.with_position(rank, peers, i)));
    if (part.size == 0) continue;
    in_order = in_order && part.at == n;
    n += part.size;
  }
  return in_order && n == shard.size() ? 0 : n;
}

// Elements received by the rank that receives most. In a reduce_scatter these are all new shards of the largest group
// except the smallest shard, as in a ring. In all other steps they are the elements of its new shard that a rank lacks.
constexpr index_t most_received(plan_step const& s, shape const& global, mesh_shape const& mesh) {
  axis_mask const named = s.from.sharding() | s.to.sharding();  // along all other axes the shards are equal
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

// Messages that each rank receives if q ranks take part.
constexpr index_t messages_among(index_t q, step_kind what) {
  if (!communicates(what) || q == 1) return 0;
  return what == step_kind::permute ? 1 : what == step_kind::all_reduce ? 2 * (q - 1) : q - 1;
}

/// Messages that each rank receives in one step over q ranks, in a direct algorithm. A permute takes 1, an all_reduce
/// 2 (q - 1) (it scatters its sums and then gathers them), any other collective q - 1.
constexpr index_t step_messages(plan_step const& s, mesh_shape const& mesh) {
  return messages_among(mesh.ranks(s.axes), s.what);
}

/// Bytes received in one step by the rank that receives most. The number is 0 if all axes of the step have size 1.
/// slice, pad: 0. all_reduce of n elements over q ranks: 2 (n - floor(n / q)). reduce_scatter: all shards of a group
/// except the smallest, which are q - 1 shards if all are equal. broadcast: the shard. All others: the part of the new
/// shard that the old one lacks.
constexpr index_t step_bytes(plan_step const& s, shape const& global, mesh_shape const& mesh, index_t element_bytes) {
  index_t const q = mesh.ranks(s.axes);
  if (!communicates(s.what) || q == 1) return 0;
  index_t const n = largest_shard(global, s.from, mesh);
  if (s.what == collective::all_reduce) return 2 * (n - n / q) * element_bytes;
  if (s.what == collective::broadcast) return n * element_bytes;
  return most_received(s, global, mesh) * element_bytes;
}

/// Elements that a rank allocates in a step: its new shard, and a buffer for packed elements if the sending or the
/// receiving side packs. If both sides pack, one of them uses the memory of the new shard, so one buffer of the larger
/// size is enough. A side packs unless its parts for the other ranks, in rank order, are its row-major shard in memory
/// order. A part that several ranks receive is packed once. If several ranks hold the same elements, each of them sends
/// to the ranks whose other coordinates it shares.
constexpr index_t step_elements(plan_step const& s, shape const& global, mesh_shape const& mesh, int rank) {
  region const before = local_region(global, s.from, mesh, rank), after = local_region(global, s.to, mesh, rank);
  if (!communicates(s.what) || s.what == collective::all_reduce || s.what == collective::broadcast ||
      mesh.ranks(s.axes) == 1)
    return after.size();
  bool const reduces = s.what == collective::reduce_scatter;
  // Peers along axes over which `to` is not split all receive the same.
  axis_mask const peers = reduces ? s.axes : s.axes & s.from.sharding();
  index_t const sent =
      s.what == collective::all_gather ? 0 : packed_elements(before, s.to, peers & s.to.sharding(), global, mesh, rank);
  index_t const received = reduces ? 0 : packed_elements(after, s.from, peers, global, mesh, rank);
  return after.size() + (sent < received ? received : sent);
}

}  // namespace plan_detail

}  // namespace ashlar
