// SPDX-License-Identifier: BSL-1.0
// Chains of steps, and their comparison in the planner.
#pragma once
#include "ashlar/plan/step_chain.hpp"

namespace ashlar::plan_detail {

// A chain of layouts, with its cost for extents that divide. If messages count, several steps may replace one.
class route {
 public:
  redistribution_plan plan;
  layout_value last;

  constexpr route(layout_value const& from, scale const& s)
      : plan(from), last(from), scale_(&s), source_(s.volume(from)), held_(source_), peak_(source_) {}

  // From now on replaces steps over several axes by chains if these are cheaper, as long as the route costs less than
  // `limit`. The search uses up `visits`.
  constexpr void split(double limit, int& visits) {
    split_ = true;
    limit_ = limit;
    visits_ = &visits;
  }
  constexpr double cost() const { return scale_->cost(paid_); }

  constexpr void to(layout_value const& next) {
    if (next == last || too_dear_) return;
    step_choice const s = choice_between(last, next);
    bool const over_several = (s.axes & (s.axes - 1)) != 0;
    if (!split_ || !communicates(s.what) || s.what == step_kind::permute || !over_several) return add(next, s);
    if (s.what == step_kind::reduce_scatter) return scatter(next);
    if (s.what == step_kind::all_reduce) return all_reduce(next, s.axes);
    step_chain const way(last, next, *scale_, limit_ - cost(), *visits_);
    for (int i = 0; i < way.size; ++i) add(way.at[i]);
  }

  constexpr bool has_no_collective() const { return plan.size != 0 && collectives_ == 0; }
  /// Compares routes by these numbers, in this order: the cost of messages and bytes together, if messages count;
  /// bytes; collectives; exchanges; messages; memory; steps.
  constexpr bool better_than(route const& r) const {
    if (too_dear_) return false;
    if (scale_->counts_messages() && cost() != r.cost()) return cost() < r.cost();
    if (paid_.elements != r.paid_.elements) return paid_.elements < r.paid_.elements;
    if (collectives_ != r.collectives_) return collectives_ < r.collectives_;
    if (exchanges_ != r.exchanges_) return exchanges_ < r.exchanges_;
    if (paid_.messages != r.paid_.messages) return paid_.messages < r.paid_.messages;
    if (peak_ != r.peak_) return peak_ < r.peak_;
    return plan.size < r.plan.size;
  }

 private:
  constexpr void add(layout_value const& next) {
    if (next != last) add(next, choice_between(last, next));
  }
  constexpr void add(layout_value const& next, step_choice s) {
    // Joins neighbouring local steps into one. But one pad can add only one reduction.
    bool const local = !communicates(s.what);
    if (local && local_ && (s.what == step_kind::slice || !padding_ || s.op == last.reductions[0].op)) {
      plan.pop();
      last = plan.layout(plan.size);
      held_ = scale_->volume(last);
      peak_ = peak_before_;
      s = choice_between(last, next);
    }
    if (split_ && (cost() > limit_ || plan.size == redistribution_plan::capacity)) too_dear_ = true;
    if (too_dear_) return;
    local_ = local;
    padding_ = s.what == step_kind::pad;
    peak_before_ = peak_;
    plan.push(next);
    count(s, next);
    last = next;
  }

  // Adds a reduce_scatter axis by axis, in the order of the dimensions' lists. Block-cyclic axes go together.
  // Replicated axes come first, because the elements that they remove need not be reduced.
  constexpr void scatter(layout_value const& next) {
    layout_value v = last;
    axis_mask const reduced = last.partial() & ~next.partial();
    auto extend = [&](axis_list& list, axis_list const& goal, axis_mask usable) {
      return list.size < goal.size && list.follow(goal, usable);
    };
    for (bool more = true; more;) {
      for (int d = 0; d < v.rank; ++d)
        while (extend(v.dim[d], next.dim[d], ~v.named())) {
        }
      more = false;
      for (int d = 0; d < v.rank && !more; ++d) more = extend(v.dim[d], next.dim[d], ~v.sharding());
      v.drop_partial(v.sharding() & reduced);
      add(v);
    }
  }

  // Adds an all_reduce over several axes: a reduce_scatter into dimension 0, where parts are contiguous, over all axes
  // but one; an all_reduce over the last axis; then all_gathers.
  constexpr void all_reduce(layout_value const& next, axis_mask axes) {
    layout_value v = last;
    for (int a = 0; v.rank != 0 && (axes & (axes - 1)); ++a) {
      if (!(axes >> a & 1u)) continue;
      axes &= ~mask_of(a);
      v.drop_partial(mask_of(a));
      v.dim[0].push(a);
      add(v);
    }
    v.drop_partial(axes);
    add(v);
    while (v.dim[0].size > next.dim[0].size) {
      v.dim[0].remove(mask_of(v.dim[0][v.dim[0].size - 1]));
      add(v);
    }
  }

  constexpr void count(step_choice const& s, layout_value const& next) {
    index_t const before = held_, size = held_ = scale_->volume(next);
    price const p = scale_->of(s, last, next);
    paid_.elements += p.elements;
    paid_.messages += p.messages;
    collectives_ += communicates(s.what);
    exchanges_ += s.what == step_kind::exchange;
    // A side packs if a dimension other than the first is split or joined.
    index_t scratch = 0;
    if (communicates(s.what) && s.what != step_kind::permute && s.what != step_kind::all_reduce) {
      sharding_change const inner = change_between(last, next, 1);
      if (inner.added) scratch = before / scale_->product(change_between(last, next).added & ~last.named());
      if (inner.removed && scratch < size) scratch = size;
    }
    index_t const live = source_ + (plan.size > 1 ? before : 0) + size + scratch;
    if (peak_ < live) peak_ = live;
  }

  scale const* scale_;
  index_t source_, held_, peak_, peak_before_ = 0, collectives_ = 0, exchanges_ = 0;
  price paid_;
  bool local_ = false, padding_ = false, split_ = false, too_dear_ = false;
  double limit_ = 0;
  int* visits_ = nullptr;
};

}  // namespace ashlar::plan_detail
