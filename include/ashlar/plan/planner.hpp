// SPDX-License-Identifier: BSL-1.0
// The redistribution planner: finds the steps from one layout to another with the least communication.
#pragma once
#include "ashlar/plan/route.hpp"

namespace ashlar::plan_detail {

template <class F>
constexpr void each_axis(axis_mask m, F f) {
  for (int a = 0; m; ++a, m >>= 1)
    if (m & 1u) f(a);
}
template <class F>
constexpr int first_dim(int rank, F fits) {
  for (int d = 0; d < rank; ++d)
    if (fits(d)) return d;
  return -1;
}

// The reductions that a plan performs, and the reductions that it adds by a pad. The outermost levels that both layouts
// have stay.
struct partial_change {
  int reduce_levels = 0, pad_levels = 0;  // innermost levels of `from` and of `to` that differ
  axis_mask reduce[max_levels]{}, pad[max_levels]{};
  axis_mask reduced = 0, padded = 0;  // the axes of all levels
  bool joins = false;                 // true if the outermost level to pad joins the innermost level of `from`

  constexpr partial_change(layout_value const& from, layout_value const& to) {
    int i = from.levels, j = to.levels;
    while (i && j && from.reductions[i - 1] == to.reductions[j - 1]) --i, --j;
    bool const same_kind = i && j && from.reductions[i - 1].op == to.reductions[j - 1].op;
    axis_mask const stay = same_kind ? from.reductions[i - 1].axes & to.reductions[j - 1].axes : 0;
    reduce_levels = i;
    pad_levels = j;
    joins = i == 0 || (i == 1 && same_kind);
    for (int l = 0; l < i; ++l) reduced |= reduce[l] = from.reductions[l].axes & ~(l == i - 1 ? stay : 0);
    for (int l = 0; l < j; ++l) padded |= pad[l] = to.reductions[l].axes & ~(l == j - 1 ? stay : 0);
  }
};

// Finds the best route of this form: pad some axes; reduce_scatter (or all_reduce) level by level into `mid`; one
// exchange from `mid` to `t`; pad the rest. `mid` splits `from` further. `t` splits `to` further, over the axes that
// are padded last. Ranks receive less if `mid` and `t` have fewer elements and more elements in common. A few rules of
// thumb choose `mid` and `t`; docs/records/plans.md explains why they find the minimum. If messages count, a step
// may become a chain, and the routes that these rules do not favour are tried too.
class planner {
 public:
  constexpr planner(layout_value const& f, layout_value const& t, axis_mask mesh_axes, link_model const& links)
      : from(f), to(t), change(f, t), axes(f.named() | t.named() | mesh_axes), sizes(links, axes), best(f, sizes) {
    offer_routes(false);
    if (!sizes.counts_messages()) return;
    offer_routes(true);
    if (axes == (f.named() | t.named())) return;
    axes = f.named() | t.named();  // without ranks that only share the work, because they send messages
    offer_routes(false);
    offer_routes(true);
  }
  constexpr redistribution_plan const& result() const { return best.plan; }

 private:
  layout_value const &from, &to;
  partial_change change;
  axis_mask axes, late = 0;  // all axes; the axes that are padded last
  scale sizes;
  route best;
  bool found = false;
  bool const any_cyclic = first_dim(from.rank, [this](int d) { return from.dim[d].cyclic || to.dim[d].cyclic; }) >= 0;
  bool home = false;  // true: an axis goes where the other of `mid` and `t` has it, even if they then are not nested.
  int visits = 100;   // Total of layouts that chains may visit: enough for 3 axes, and few enough for a compiler.

  constexpr void offer_routes(bool split) {
    int const ways = !split ? 2 : change.reduced ? 8 : change.padded ? 4 : 2;
    int sets = 1;
    each_axis(change.padded, [&](int) { sets *= 2; });
    for (axis_mask first = change.padded;; first = sets > 64 ? 0 : (first - 1) & change.padded) {
      if (can_pad_first(first)) {
        route r(from, sizes);
        pad(r, first);
        late = change.padded & ~first;
        for (int way = 0; way < ways; ++way) {
          home = (way & 2) != 0;
          if (split) r.split(best.cost(), visits);
          offer_route(r, (way & 1) != 0, (way & 4) != 0);
        }
      }
      if (!first || best.has_no_collective()) break;
    }
  }

  // Adds pads to a route: makes it partial over the axes of `which`, level by level from the outermost.
  constexpr void pad(route& r, axis_mask which) const {
    for (int l = change.pad_levels - 1; l >= 0; --l) {
      axis_mask const m = change.pad[l] & which;
      if (!m) continue;
      layout_value v = r.last;
      v.drop_sharding(m);
      if (!v.levels || v.reductions[0].op != to.reductions[l].op) {
        for (int k = v.levels++; k > 0; --k) v.reductions[k] = v.reductions[k - 1];
        v.reductions[0] = {to.reductions[l].op, 0};
      }
      v.reductions[0].axes |= m;
      r.to(v);
    }
  }

  // True if these axes can be padded before anything else. They become innermost, or join the level that is reduced. So
  // an outer level must be padded completely before an inner one, and the axes must be minor-most.
  constexpr bool can_pad_first(axis_mask first) const {
    if (!first) return true;
    if (change.reduced && (!change.joins || (first & ~change.pad[change.pad_levels - 1]))) return false;
    axis_mask gone = 0, left_out = 0;
    for (int l = change.pad_levels - 1; l >= 0; --l) {
      axis_mask const now = first & change.pad[l];
      if (now && left_out) return false;
      left_out |= change.pad[l] & ~first;
      gone |= now;
      for (int d = 0; d < from.rank; ++d) {
        axis_list rest = from.dim[d];
        rest.remove(gone);
        if (!rest.begins(from.dim[d])) return false;
      }
    }
    return true;
  }

  // True if the lists of some dimension disagree, so that some ranks hold nothing of their new shard.
  constexpr bool disagree(layout_value const& a, layout_value const& b) const {
    return first_dim(a.rank, [&](int d) { return sizes.common_parts(a.dim[d], b.dim[d]) == 0; }) >= 0;
  }
  // True if the axis lists of `mid` can become permutations of the lists of `t` by a split over `spare` axes.
  constexpr bool can_permute(layout_value const& mid, axis_mask spare, layout_value const& t) const {
    return (spare & ~t.sharding()) == 0 && first_dim(mid.rank, [&](int d) {
                                             axis_list const &a = mid.dim[d], &b = t.dim[d];
                                             return (a.mask() & ~b.mask()) != 0 || a.cyclic_axes() != b.cyclic_axes() ||
                                                    a.block != b.block;
                                           }) < 0;
  }
  // Outer levels are padded before inner ones, so their axes must be minor-most in the target.
  constexpr bool may_end(axis_list const& list, int axis) const {
    return list.size == 0 || to.level_of(list[list.size - 1]) <= to.level_of(axis);
  }
  constexpr void insert(axis_list& list, int axis) const {
    int i = list.size++;
    for (; i > 0 && to.level_of(list[i - 1]) > to.level_of(axis); --i) list.axis[i] = list.axis[i - 1];
    list.axis[i] = static_cast<signed char>(axis);
    if (i < list.cyclic) list.cyclic = 0, list.block = 0;  // an axis before block-cyclic ones must be block-cyclic too
  }
  // Block-cyclic axes are padded together, so they must be of one level.
  constexpr bool one_level(axis_list const& list) const {
    for (int i = 1; i < list.cyclic; ++i)
      if (to.level_of(list[i]) != to.level_of(list[0])) return false;
    return true;
  }

  // Extends the lists of `mid` as in `t`, as long as the next axis is `usable`. Extends the lists of `t` as in `mid`,
  // as long as the next axis is late.
  constexpr void follow(layout_value& mid, axis_mask usable, layout_value& t) const {
    for (int d = 0; d < from.rank; ++d) {
      axis_list const &a = mid.dim[d], &b = t.dim[d];
      while (a.size < b.size && a.begins(b) && mid.follow(d, b, usable & ~mid.sharding())) {
      }
      while (b.size < a.size && b.begins(a) && may_end(b, a[b.size]) && (b.size || one_level(a)) &&
             t.follow(d, a, late & ~t.sharding())) {
      }
    }
  }

  // Adds axes if a dimension is block-cyclic. Each axis is tried in every dimension, evenly split and block-cyclic as
  // in the other layout. Each round adds one axis: the choice after which the two layouts have most in common.
  template <class Add>
  constexpr void settle(layout_value& v, layout_value const& other, axis_mask some, Add add) const {
    while (some) {
      index_t most = -1;
      axis_mask settled = 0;
      layout_value const before = v;
      each_axis(some, [&](int a) {
        for (int d = 0; d < from.rank; ++d)
          for (bool cyclic : {false, true}) {
            if (cyclic && (before.dim[d].size != 0 || !other.dim[d].cyclic || !before.may_be_cyclic(d))) continue;
            layout_value next = before;
            add(next.dim[d], a);
            if (cyclic) next.dim[d].cyclic = 1, next.dim[d].block = other.dim[d].block;
            index_t const in_common =
                sizes.common(next, other) * sizes.product(mask_of(a));  // does not favour small axes
            if (in_common > most) most = in_common, v = next, settled = mask_of(a);
          }
      });
      if (!settled) return;  // a scalar
      some &= ~settled;
    }
  }

  // Splits `t` over the remaining late axes, so that it stays nested with `mid` if possible. An `unused` axis, over
  // which `mid` is not split yet, goes where the lists are equal, and into `mid` too if it is `usable` now.
  constexpr void split_target(layout_value& mid, axis_mask usable, axis_mask unused, layout_value& t) const {
    axis_mask const cyclic = any_cyclic ? mid.sharding() : 0;
    for (axis_mask some : {usable & ~cyclic, unused & ~usable & ~cyclic, ~unused & ~cyclic})
      for (int l = 0; l < change.pad_levels; ++l)
        each_axis(some & late & change.pad[l] & ~t.sharding(), [&](int f) {
          int d = home ? mid.dim_of(f) : -1;
          auto ends = [&](int e) { return may_end(t.dim[e], f); };
          if (d < 0 && (unused >> f & 1u)) {
            bool const permutes = disagree(mid, t) && can_permute(mid, usable & ~late & ~mid.sharding(), t);
            d = permutes ? 0 : first_dim(from.rank, [&](int e) { return mid.dim[e] == t.dim[e] && ends(e); });
            if (d >= 0 && (usable >> f & 1u)) mid.dim[d].push(f);
          }
          if (d < 0)
            d = disagree(mid, t) ? mid.dim_of(f) : first_dim(from.rank, [&](int e) {
              return mid.dim[e] != t.dim[e] && mid.dim[e].begins(t.dim[e]) && ends(e);
            });
          if (d < 0) d = first_dim(from.rank, [&](int e) { return mid.dim[e].begins(t.dim[e]) && ends(e); });
          if (d < 0) d = mid.dim_of(f);
          insert(t.dim[d < 0 ? 0 : d], f);
        });
    settle(t, mid, cyclic & late & ~t.sharding(), [&](axis_list& list, int f) { insert(list, f); });
  }

  // Splits `mid` over spare axes. An axis goes to a dimension whose lists stay nested; else to the dimension where `t`
  // has it, if the two can become permutations; else to dimension 0, whose parts are contiguous.
  constexpr void split_source(layout_value& mid, axis_mask spare, layout_value const& t, bool permutes) const {
    if (from.rank == 0) return;
    if (any_cyclic) return settle(mid, t, spare, [](axis_list& list, int a) { list.push(a); });
    each_axis(spare, [&](int a) {
      int d = home ? t.dim_of(a) : -1;
      if (d < 0 && !disagree(mid, t)) d = first_dim(from.rank, [&](int e) { return t.dim[e].begins(mid.dim[e]); });
      if (d < 0 && permutes) d = t.dim_of(a);
      mid.dim[d < 0 ? 0 : d].push(a);
    });
  }

  // Builds a route and keeps it if it is the best. `whole`: axes to reduce that the target does not shard over are
  // all_reduced, not scattered and gathered; if nothing is reduced, a slice comes first. `early`: the dimensions get
  // the target's axes before the reduction, as far as they need not wait for it.
  constexpr void offer_route(route r, bool whole, bool early) {
    axis_mask const idle = axes & ~r.last.named();
    layout_value mid = r.last, t = to;
    if (early) {
      if (!change.reduced) return;
      for (int d = 0; d < from.rank; ++d) mid.dim[d] = to.dim[d];
      mid.drop_sharding(r.last.partial());
      if (mid == r.last) return;
      r.to(mid);
    }
    bool placed = false;
    for (int l = 0; l < change.reduce_levels; ++l) {
      axis_mask const reduce = change.reduce[l];
      if (!reduce) continue;
      follow(mid, idle | reduce, t);
      if (!placed) split_target(mid, idle | reduce, (idle | change.reduced) & ~mid.sharding(), t);
      placed = true;
      axis_mask const spare = (idle | (whole ? 0 : reduce)) & ~mid.sharding();
      bool const permutes = can_permute(mid, spare, t);
      split_source(mid, any_cyclic ? spare : spare & ~reduce, t, permutes);
      split_source(mid, spare & ~mid.sharding(), t, permutes);
      mid.drop_partial(reduce & mid.sharding());
      r.to(mid);
      mid.drop_partial(reduce);
      r.to(mid);
    }
    if (!change.reduced) {
      follow(mid, idle, t);
      split_target(mid, idle, idle & ~mid.sharding(), t);
      // A slice before a permute drops elements that are needed if extents do not divide, because parts of other sizes
      // begin at other indices. So only plans with a pad try it. A plan that neither reduces nor pads receives exactly
      // the elements that a rank lacks, at all extents.
      axis_mask const spare = change.padded ? idle & t.sharding() & ~mid.sharding() : 0;
      if (spare && disagree(mid, t) && can_permute(mid, spare, t)) split_source(mid, spare, t, true);
      if (whole && mid == r.last) return;  // the same route again
      if (whole) r.to(mid);
    }
    for (int d = 0; d < from.rank; ++d) mid.dim[d] = t.dim[d];
    r.to(mid);
    pad(r, late);
    if (!found || r.better_than(best)) best = r;
    found = true;
  }
};

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// The steps that bring a tensor from one layout into another. The value of the tensor stays the same.
/// The plan has the least bytes per rank; then the fewest collectives, exchanges and messages, and the least memory.
/// This holds for all axis sizes from 3 up, if extents divide. At size 2 some costs tie that differ at other sizes, so
/// only the bytes are least. Outermost levels that both layouts have stay. All others of `from` are reduced, innermost
/// first, and all others of `to` are padded. `mesh_axes` offers further axes of the mesh, whose ranks can share the
/// work of a reduction. If `links` give messages a cost, the plan has the least cost of bytes and messages together,
/// for the stated sizes of tensor and axes. Then chains over few axes each may replace a step over several axes.
/// Pre: the axes have sizes above 1. If some have size 1, plan with layout_value::without(axes of size 1).
/// Post: plan(a, a).size == 0; plan(a, b).layout(plan(a, b).size) == b.
/// Cost: without reductions, bytes_per_rank is the number of bytes of its new shard that a rank lacks, for the rank
/// that lacks most. This holds at all extents.
/// Error: ashlar::error, or the sentence in a constant expression, if the layouts have different numbers of dimensions, or
/// if `links` lack a size.
/// Example: from layout<"data", none> to layout<none, "data">: one all_to_all over data
constexpr redistribution_plan plan(layout_value const& from, layout_value const& to, axis_mask mesh_axes = 0,
                                   link_model const& links = {}) {
  if (from.rank != to.rank)
    meta_detail::fail(
        "ashlar::planning::plan: the layouts have different numbers of dimensions; a plan keeps the tensor's");
  return plan_detail::planner(from, to, mesh_axes, links).result();
}

}  // namespace ashlar::planning
