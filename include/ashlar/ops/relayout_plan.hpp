// SPDX-License-Identifier: BSL-1.0
// The plan of a relayout, as a type. The extents of the tensor choose it.
#pragma once
#include "ashlar/plan/candidates.hpp"
#include "ashlar/plan/dry_run.hpp"
#include "ashlar/plan/links.hpp"
#include "ashlar/plan/static_extents.hpp"

namespace ashlar::ops_detail {

// The plans of a relayout, among which extents choose. A collective with a name of its own is offered no further axes
// and stays one step. For the others, messages count.
template <class Mesh, class From, class To, axis_mask MayHelp>
struct plans_between {
  using context = mesh_context<Mesh, From, To>;
  static constexpr link_model links = MayHelp ? complete_links<Mesh>() : link_model{};
  static constexpr plan_candidates value = [] {
    if constexpr (From::rank != To::rank) return plan_candidates();  // after another error
    if constexpr (MayHelp != 0) return plan_candidates(value_v<context, From>, value_v<context, To>, MayHelp, links);
    plan_candidates one;
    one.add(plan(value_v<context, From>, value_v<context, To>));
    return one;
  }();
};
template <class Plans, int I>
struct plan_number {
  using context = typename Plans::context;
  static constexpr redistribution_plan value = Plans::value.plan[I];
};
template <class Mesh, class From, class To, axis_mask MayHelp>
using plan_between = plan_number<plans_between<Mesh, From, To, MayHelp>, 0>;

// The number of the plan for these extents and sizes. A program redistributes the same again and again, so the last
// choice is remembered.
template <class Plans>
int remembered_choice(shape const& extents, mesh_shape const& sizes, index_t element_bytes) {
  struct choice {
    shape extents;
    mesh_shape sizes;
    index_t element_bytes = 0;
    int plan = 0;
  };
  static thread_local choice last;
  if (last.element_bytes != element_bytes || !(last.extents == extents) || !(last.sizes == sizes))
    last = {extents, sizes, element_bytes,
            Plans::value.least(extents, sizes, element_bytes, Plans::links.message_bytes)};
  return last.plan;
}

// Calls f with the plan of number k as a type.
template <class Plans, int I = 0, class F>
constexpr auto with_plan(int k, F const& f) {
  if constexpr (I + 1 < plan_candidates::most && I + 1 < Plans::value.size)  // after an error the size may be anything
    if (k != I) return with_plan<Plans, I + 1>(k, f);
  return f(plan_number<Plans, I>{});
}

// The extents of a choice by types.
struct typical_extents {
  shape value;
};
template <class Plans, class X, class Handle, class F>
constexpr auto with_least_plan(Handle const& m, typical_extents const& extents, F const& f) {
  constexpr index_t bytes = static_cast<index_t>(sizeof(element_t<X>));
  return with_plan<Plans>(Plans::value.least(extents.value, m.sizes(), bytes, Plans::links.message_bytes), f);
}

// Calls f with the plan for a tensor X of these extents, as a type. Each plan must give the same type of result.
template <class Plans, class X, class Handle, class F>
constexpr auto with_least_plan(Handle const& m, shape const& extents, F const& f) {
  constexpr plan_candidates const& plans = Plans::value;
  constexpr index_t bytes = static_cast<index_t>(sizeof(element_t<X>));
  if constexpr (plans.size <= 1) {
    return f(plan_number<Plans, 0>{});
  } else if constexpr (sizes_are_static<X>) {
    constexpr int k = plans.least(static_extents_v<X>, static_sizes<mesh_t<X>>, bytes, Plans::links.message_bytes);
    return f(plan_number<Plans, k>{});
  } else {
    auto const least = [&] {
      return std::is_constant_evaluated() ? plans.least(extents, m.sizes(), bytes, Plans::links.message_bytes)
                                          : remembered_choice<Plans>(extents, m.sizes(), bytes);
    };
    return with_plan<Plans>(plan_detail::chosen_by_extents<static_shape<X>>(m, &plans, plans.size, extents, {}, least),
                            f);
  }
}

}  // namespace ashlar::ops_detail
