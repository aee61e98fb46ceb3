// SPDX-License-Identifier: BSL-1.0
// The cost of a step and of a plan: bytes and messages that a rank receives, and memory.
#pragma once
#include "ashlar/plan/rank_classes.hpp"

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

// Elements received by the rank that receives most in a reduce_scatter, as in a ring: all new shards of the largest group
// except the smallest.
constexpr index_t most_received_in_ring(plan_step const& s, shape const& global, mesh_shape const& mesh) {
  rank_classes all(mesh);
  all.add(global, s.to);
  mesh_shape const& classes = all.classes();
  index_t most = 0;
  for (int i = 0, groups = classes.ranks(~s.axes); i < groups; ++i) {
    index_t sum = 0, smallest = -1;
    for (int p = 0, members = classes.ranks(s.axes); p < members; ++p) {
      int const c = classes.with_position(classes.with_position(0, ~s.axes, i), s.axes, p);
      index_t const size = local_region(global, s.to, mesh, all.rank(c)).size();
      sum += size * all.ranks(c, s.axes);
      if (smallest < 0 || size < smallest) smallest = size;
    }
    if (most < sum - smallest) most = sum - smallest;
  }
  return most;
}

// Elements received by the rank that receives most. In all steps but a reduce_scatter they are the elements of its new
// shard that a rank lacks.
constexpr index_t most_received(plan_step const& s, shape const& global, mesh_shape const& mesh) {
  if (s.what == collective::reduce_scatter) return most_received_in_ring(s, global, mesh);
  rank_classes all(mesh);
  all.add(global, s.from);
  all.add(global, s.to);
  auto const lacked = [&](int rank) {
    region const shard = local_region(global, s.to, mesh, rank);
    return shard.size() - common_size(shard, local_region(global, s.from, mesh, rank));
  };
  return all.largest(varying_axes(s.from, s.to), lacked,
                     [&](int rank) { return local_region(global, s.to, mesh, rank).size(); });
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

// True if a side of a step may pack elements.
constexpr bool may_pack(plan_step const& s, mesh_shape const& mesh) {
  return communicates(s.what) && s.what != collective::all_reduce && s.what != collective::broadcast &&
         mesh.ranks(s.axes) != 1;
}

/// Elements that a rank allocates in a step: its new shard, and a buffer for packed elements if the sending or the
/// receiving side packs. If both sides pack, one of them uses the memory of the new shard, so one buffer of the larger
/// size is enough. A side packs unless its parts for the other ranks, in rank order, are its row-major shard in memory
/// order. A part that several ranks receive is packed once. If several ranks hold the same elements, each of them sends
/// to the ranks whose other coordinates it shares.
constexpr index_t step_elements(plan_step const& s, shape const& global, mesh_shape const& mesh, int rank) {
  region const before = local_region(global, s.from, mesh, rank), after = local_region(global, s.to, mesh, rank);
  if (!may_pack(s, mesh)) return after.size();
  bool const reduces = s.what == collective::reduce_scatter;
  // Peers along axes over which `to` is not split all receive the same.
  axis_mask const peers = reduces ? s.axes : s.axes & s.from.sharding();
  index_t const sent =
      s.what == collective::all_gather ? 0 : packed_elements(before, s.to, peers & s.to.sharding(), global, mesh, rank);
  index_t const received = reduces ? 0 : packed_elements(after, s.from, peers, global, mesh, rank);
  return after.size() + (sent < received ? received : sent);
}

// At least step_elements. It depends only on the sizes of the shards, because no element is packed twice.
constexpr index_t most_step_elements(plan_step const& s, shape const& global, mesh_shape const& mesh, int rank) {
  index_t const before = local_region(global, s.from, mesh, rank).size();
  index_t const after = local_region(global, s.to, mesh, rank).size();
  return after + (!may_pack(s, mesh) ? 0 : before < after ? after : before);
}

}  // namespace plan_detail

namespace planning {
constexpr index_t redistribution_plan::bytes_per_rank(shape const& global, mesh_shape const& mesh,
                                                      index_t element_bytes) const {
  index_t n = 0;
  for (plan_step const& s : *this) n += plan_detail::step_bytes(s, global, mesh, element_bytes);
  return n;
}

constexpr index_t redistribution_plan::messages_per_rank(mesh_shape const& mesh) const {
  index_t n = 0;
  for (plan_step const& s : *this) n += plan_detail::step_messages(s, mesh);
  return n;
}

constexpr index_t redistribution_plan::peak_elements(shape const& global, mesh_shape const& mesh, int rank,
                                                     index_t (*elements_of)(plan_step const&, shape const&,
                                                                            mesh_shape const&, int)) const {
  index_t const source = local_region(global, layout(0), mesh, rank).size();
  index_t most = source, live = source;
  for (plan_step const& s : *this) {
    if (mesh.ranks(s.axes) == 1 && layout_detail::same_placement(global, s.from, s.to, mesh)) continue;
    index_t const n = live + elements_of(s, global, mesh, rank);
    if (most < n) most = n;
    live = source + local_region(global, s.to, mesh, rank).size();
  }
  return most;
}

constexpr index_t redistribution_plan::peak_bytes(shape const& global, mesh_shape const& mesh,
                                                  index_t element_bytes) const {
  plan_detail::rank_classes all(mesh);
  all.add(global, layout(0));
  axis_mask varying = 0;
  bool alike = layout_detail::is_even(global, layout(0), mesh);  // true if all ranks hold equally many elements
  for (plan_step const& s : *this) {
    all.add(global, s.to);
    varying |= plan_detail::varying_axes(s.from, s.to);
    alike = alike && s.what != step_kind::exchange && layout_detail::is_even(global, s.to, mesh);
  }
  auto const peak = [&](int rank) { return peak_elements(global, mesh, rank, plan_detail::step_elements); };
  auto const limit = [&](int rank) { return peak_elements(global, mesh, rank, plan_detail::most_step_elements); };
  return all.largest(alike ? 0 : varying, peak, limit) * element_bytes;
}
}  // namespace planning

}  // namespace ashlar
