// SPDX-License-Identifier: BSL-1.0
// Layouts and plans as text, spelled as in a program. This is a separate header, because strings cost more to include
// than the planner.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/layout.hpp"
#include "ashlar/plan/planner.hpp"
#include <string>

namespace ashlar {

namespace plan_detail {

/// The names of a mesh's axes, as the functions below take them.
template <class Mesh>
inline constexpr char const* const* axis_texts = meta_detail::names_of_list<typename Mesh::names>::text;

ASHLAR_INLINE std::string quoted(axis_list const& axes, char const* const* names);

ASHLAR_INLINE std::string joined(axis_mask axes, char const* const* names);

/// The name of a reduction in a layout_value or a plan_step: "sum", "max", "min", "prod", or a phrase for a
/// user-defined one.
/// Pre: op is 0 or more.
ASHLAR_INLINE char const* op_text(int op);

}  // namespace plan_detail

/// A layout as a program writes it: partial<layout<"data", axes("x", "y")>, "model", op::max>. `names` are the names of
/// the axes.
/// Example: to_string(layout<"data", none>{}) is "layout<\"data\", none>"
ASHLAR_INLINE std::string to_string(layout_value const& v, char const* const* names);

/// The same for a layout's type: to_string(layout<"data", none>{}).
template <class L>
  requires layout_detail::is_layout_v<L>
std::string to_string(L) {
  using c = layout_detail::context_of<L>;
  return to_string(layout_detail::value_v<c, L>, meta_detail::names_of_list<typename c::names>::text);
}

/// A step on one line: all_gather over data -> layout<none, "model">.
ASHLAR_INLINE std::string to_string(planning::plan_step const& s, char const* const* names);

/// A plan as text: the source layout, then one line per step.
ASHLAR_INLINE std::string to_string(planning::redistribution_plan const& p, char const* const* names);

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/plan/impl/print.ipp"
#endif
