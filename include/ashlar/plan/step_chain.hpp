// SPDX-License-Identifier: BSL-1.0
// Chains of steps over few axes each, which need fewer messages. An exchange over axes of p x q ranks takes pq - 1
// messages per rank. An exchange over p ranks and another over q ranks take p + q - 2 together.
#pragma once
#include "ashlar/plan/price.hpp"

namespace ashlar::plan_detail {

// Searches for the cheapest chain of steps between two layouts with the same reductions. It always finds the single
// step between them. On the way, an axis goes to the dimension where the goal has it, or is gathered, or added. The
// order of axes may change. Dimensions that the goal splits further are split as early as possible, because a slice is
// free. Expensive ways are dropped early by a lower bound: the elements still to receive, and the axes that must still
// leave a dimension.
class step_chain {
 public:
  static constexpr int longest = 5;
  int size = 0;
  layout_value at[longest];  // in the order of the chain; the last is the goal

  // Drops chains that cost `limit` or more. `visits` is the number of layouts that may still be visited.
  constexpr step_chain(layout_value const& from, layout_value const& to, scale const& s, double limit, int& visits)
      : goal_(to), scale_(s), least_(limit), visits_(visits) {
    at[0] = to;
    size = 1;
    visit(from, 0, 0);
  }

 private:
  layout_value const& goal_;
  scale const& scale_;
  layout_value const* way_[longest]{};
  double least_;
  int& visits_;

  constexpr void visit(layout_value const& here, int n, double spent) {
    price const rest = scale_.of(choice_between(here, goal_), here, goal_);
    if (double const cost = spent + scale_.cost(rest); cost < least_) {
      least_ = cost;
      size = n + 1;
      for (int i = 0; i < n; ++i) at[i] = *way_[i];
      at[n] = goal_;
    }
    if (n + 1 == longest || --visits_ < 0 || spent + scale_.cost({rest.elements, fewest_messages(here)}) >= least_)
      return;

    look_from(here, in_order(here), n, spent);
    axis_mask const before = here.sharding(), after = goal_.sharding(), partial = here.partial();
    for (int a = 0; a < max_axes; ++a) {
      if (!((before | after) >> a & 1u)) continue;
      int const e = goal_.dim_of(a);
      if (!(before >> a & 1u)) {
        if (partial >> a & 1u) continue;
        layout_value v = here;
        add(v, a, e);
        look_from(here, v, n, spent);
        continue;
      }
      int const d = here.dim_of(a);
      if (here.dim[d].begins(goal_.dim[d])) continue;
      if (here.dim[d][here.dim[d].size - 1] == a) {
        layout_value v = here;
        v.dim[d].remove(mask_of(a));
        look_from(here, v, n, spent);
        if (e >= 0 && e != d) {
          add(v, a, e);
          look_from(here, v, n, spent);
        }
      }
      if (e < 0) {  // the whole change in one step, except for this axis, which is gathered afterwards
        layout_value v = goal_;
        v.dim[d].push(a);
        look_from(here, v, n, spent);
      }
    }
  }

  constexpr void look_from(layout_value const& here, layout_value next, int n, double spent) {
    axis_mask const idle = ~next.named();
    for (int d = 0; d < next.rank; ++d)
      if (here.dim[d].begins(next.dim[d]))
        while (next.dim[d].size < goal_.dim[d].size && next.dim[d].begins(goal_.dim[d]) &&
               next.follow(d, goal_.dim[d], idle)) {
        }
    if (next == here ||
        spent + scale_.cost({lacking(here, next) + lacking(next, goal_), fewest_messages(next)}) >= least_)
      return;
    spent += scale_.step_cost(here, next);
    if (spent >= least_) return;
    way_[n] = &next;
    visit(next, n + 1, spent);
  }

  constexpr void add(layout_value& v, int axis, int d) const {
    if (!v.dim[d].begins(goal_.dim[d]) || !v.follow(d, goal_.dim[d], mask_of(axis))) v.dim[d].push(axis);
  }

  // Elements received by the rank that receives most.
  constexpr index_t lacking(layout_value const& from, layout_value const& to) const {
    return scale_.volume(to) - scale_.common(from, to);
  }

  // A lower bound: each axis that leaves its dimension needs a step over this axis.
  constexpr index_t fewest_messages(layout_value const& here) const {
    index_t n = 0;
    for (int d = 0; d < here.rank; ++d)
      for (int i = 0; i < here.dim[d].size; ++i)
        if (goal_.dim_of(here.dim[d][i]) != d) n += scale_.product(mask_of(here.dim[d][i])) - 1;
    return n;
  }

  // Sorts the axes of each dimension so that they can leave from the end of its list. First come the axes that stay, in
  // the goal's order. Then come the axes to gather, which leave late. Last come the axes that go to other dimensions:
  // the axis that is major-most there is at the end.
  constexpr layout_value in_order(layout_value v) const {
    for (int d = 0; d < v.rank; ++d) {
      axis_list& list = v.dim[d];
      if (list.cyclic) continue;
      auto place = [&](int a) {
        int const e = goal_.dim_of(a);
        if (e < 0) return max_axes;
        int i = 0;
        while (goal_.dim[e][i] != a) ++i;
        return e == d ? i : 2 * max_axes - i;
      };
      for (int i = 1; i < list.size; ++i)
        for (int j = i; j > 0 && place(list[j - 1]) > place(list[j]); --j) {
          signed char const a = list.axis[j];
          list.axis[j] = list.axis[j - 1];
          list.axis[j - 1] = a;
        }
    }
    return v;
  }
};

}  // namespace ashlar::plan_detail
