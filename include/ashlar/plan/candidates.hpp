// SPDX-License-Identifier: BSL-1.0
// Plans among which the extents of a tensor choose.
#pragma once
#include "ashlar/plan/planner.hpp"

namespace ashlar::plan_detail {

/// True if a reduction may be one step between two layouts. Then dimensions stay as they are, or are split further by all
/// axes that are reduced. Other steps have no such conditions.
constexpr bool may_be_one_step(layout_value const& from, layout_value const& to) {
  axis_mask const reduced = from.partial() & ~to.partial();
  if (reduced == 0) return true;
  bool same = true;
  for (int d = 0; d < from.rank; ++d) {
    if (!from.dim[d].begins(to.dim[d])) return false;
    same = same && from.dim[d] == to.dim[d];
  }
  return same || (reduced & ~to.sharding()) == 0;
}

/// At most four plans between two layouts, all different. The first has the least bytes if extents divide. The others
/// matter if a dimension is too short to be split as the first does: a rank then reduces more than its share. One of
/// them is a single collective. Two are the first plan with the axes that split dimension 0 only on the way in the last
/// dimension, or in the one before it. Plans that reduce nothing, or pad, have no rivals.
struct plan_candidates {
  static constexpr int most = 4;
  int size = 0;
  redistribution_plan plan[most];

  constexpr plan_candidates() = default;
  constexpr plan_candidates(layout_value const& from, layout_value const& to, axis_mask mesh_axes,
                            link_model const& links) {
    add(ashlar::planning::plan(from, to, mesh_axes, links));
    partial_change const change(from, to);
    if (from.rank == 0 || change.reduced == 0 || change.padded != 0) return;
    if (change.reduce_levels == 1 && may_be_one_step(from, to)) {
      redistribution_plan one(from);
      one.push(to);
      add(one);
    }
    for (int d : {from.rank - 1, from.rank - 2})
      if (d > 0) add_moved(d);
  }

  // Adds the first plan with other axes in dimension d in place of dimension 0.
  constexpr void add_moved(int d) {
    redistribution_plan const& first = plan[0];
    layout_value const from = first.layout(0), to = first.layout(first.size);
    redistribution_plan moved(from);
    layout_value before = from;
    bool changed = false;
    for (int i = 1; i <= first.size; ++i) {
      layout_value v = first.layout(i);
      if (v.dim[0].cyclic || v.dim[d].cyclic) return;
      if (i < first.size) {
        axis_list const list = v.dim[0];
        v.dim[0] = {};
        for (int k = 0; k < list.size; ++k) {
          bool const stays = from.dim_of(list[k]) == 0 || to.dim_of(list[k]) == 0;
          v.dim[stays ? 0 : d].push(list[k]);
          changed = changed || !stays;
        }
      }
      if (v == before) continue;
      if (!may_be_one_step(before, v)) return;
      moved.push(v);
      before = v;
    }
    if (changed) add(moved);
  }

  constexpr void add(redistribution_plan const& p) {
    for (int i = 0; i < size; ++i)
      if (plan[i] == p) return;
    plan[size++] = p;
  }

  /// The number of the plan with the least cost of bytes and messages; then the fewest steps; then the first.
  constexpr int least(shape const& extents, mesh_shape const& sizes, index_t element_bytes,
                      index_t message_bytes = 0) const {
    int best = 0;
    double least_cost = 0;
    for (int i = 0; i < size; ++i) {
      double const cost = static_cast<double>(plan[i].bytes_per_rank(extents, sizes, element_bytes)) +
                          static_cast<double>(message_bytes) * static_cast<double>(plan[i].messages_per_rank(sizes));
      if (i != 0 && (cost > least_cost || (cost == least_cost && plan[i].size >= plan[best].size))) continue;
      best = i;
      least_cost = cost;
    }
    return best;
  }
};

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// The plan that `redistribute` follows for a tensor of these extents on axes of these sizes. It is one of at most four,
/// of which `plan` without extents is the first. A tensor that stays as partial as it is has that one plan.
/// Post: for these extents and sizes it takes no more bytes than `plan` without extents. If one reduce_scatter or
///   all_reduce leads to the layout, it takes no more bytes than that.
/// Error: ashlar::error, or the sentence in a constant expression, if layouts and extents have different numbers of
///   dimensions.
/// Example: a gradient of extents (1, 1, 64, 128), partial over "data", from layout<none, none, none, none> to
/// layout<none, none, none, "data">: the ranks of a further axis "model" share the work by a dimension that is not 1
constexpr redistribution_plan plan(layout_value const& from, layout_value const& to, shape const& extents,
                                   mesh_shape const& sizes, index_t element_bytes, axis_mask mesh_axes = 0,
                                   link_model const& links = {}) {
  if (from.rank != to.rank || extents.rank != from.rank)
    meta_detail::fail(
        "ashlar::planning::plan: layouts and extents differ in their numbers of dimensions; give one extent for each dimension");
  plan_detail::plan_candidates const c(from, to, mesh_axes, links);
  return c.plan[c.least(extents, sizes, element_bytes, links.message_bytes)];
}

}  // namespace ashlar::planning
