// Plans among which the extents of a tensor choose.
#pragma once
#include "ashlar/plan/planner.hpp"

namespace ashlar {

namespace plan_detail {

/// At most four plans between two layouts, all different. The first has the least bytes if extents divide. The others
/// matter if a dimension is too short to be split as the first does: a rank then reduces more than its share. They have
/// no ranks that only share the work, or split the last dimension, or the one before it.
/// Plans that reduce nothing have least bytes at all extents, so they have no rivals.
struct plan_candidates {
  int size = 0;
  redistribution_plan plan[4];

  constexpr plan_candidates() = default;
  constexpr plan_candidates(layout_value const& from, layout_value const& to, axis_mask mesh_axes,
                            link_model const& links) {
    add(ashlar::plan(from, to, mesh_axes, links));
    if (from.rank == 0 || partial_change(from, to).reduced == 0) return;
    add(ashlar::plan(from, to, 0, links));
    for (int d : {from.rank - 1, from.rank - 2})
      if (d > 0) add(planner(from, to, mesh_axes, links, d).result());
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

}  // namespace plan_detail

/// The plan that `redistribute` follows for a tensor of these extents on axes of these sizes. It is one of at most four,
/// of which `plan` without extents is the first. A tensor that stays as partial as it is has that one plan.
/// Post: its bytes_per_rank for these extents and sizes is at most that of `plan` without extents, and at most that of
///   one reduce_scatter or all_reduce, if that is a way.
/// Example: a gradient of extents (1, 1, 64, 128), partial over "data", from layout<none, none, none, none> to
/// layout<none, none, none, "data">: the ranks of a further axis "model" share the work by a dimension that is not 1
constexpr redistribution_plan plan(layout_value const& from, layout_value const& to, shape const& extents,
                                   mesh_shape const& sizes, index_t element_bytes, axis_mask mesh_axes = 0,
                                   link_model const& links = {}) {
  if (from.rank != to.rank || extents.rank != from.rank)
    throw "ashlar::plan: the layouts and the extents have different numbers of dimensions; a plan keeps the tensor's";
  plan_detail::plan_candidates const c(from, to, mesh_axes, links);
  return c.plan[c.least(extents, sizes, element_bytes, links.message_bytes)];
}

}  // namespace ashlar
