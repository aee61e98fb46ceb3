// Layouts and plans as text, spelled as in a program. This is a separate header, because strings cost more to include
// than the planner.
#pragma once
#include "ashlar/layout/layout.hpp"
#include "ashlar/plan/planner.hpp"
#include <string>

namespace ashlar {

namespace plan_detail {

/// The names of a mesh's axes, as the functions below take them.
template <class Mesh>
inline constexpr char const* const* axis_texts = meta_detail::names_of_list<typename Mesh::names>::text;

inline std::string quoted(axis_list const& axes, char const* const* names) {
  std::string s;
  for (int i = 0; i < axes.size; ++i) s += std::string(i ? ", \"" : "\"") + names[axes[i]] + "\"";
  if (axes.size == 0) return "none";
  if (axes.size > 1) s = "axes(" + s + ")";
  if (!axes.block) return s;
  // A program cannot spell axes after the block-cyclic ones. Only intermediate layouts of plans have them.
  return "cyclic(" + s + ", " + std::to_string(axes.block) +
         (axes.cyclic < axes.size ? " over the first " + std::to_string(axes.cyclic) : "") + ")";
}

inline std::string joined(axis_mask axes, char const* const* names) {
  std::string s;
  each_axis(axes, [&](int a) { s += std::string(s.empty() ? "" : "+") + names[a]; });
  return s;
}

/// The name of a reduction in a layout_value or a plan_step: "sum", "max", "min", "prod", or a phrase for a
/// user-defined one.
/// Pre: op is 0 or more.
inline char const* op_text(int op) {
  constexpr char const* text[]{"sum", "max", "min", "prod"};
  return op < 4 ? text[op] : "a reduction of the user's";
}

}  // namespace plan_detail

/// A layout as a program writes it: partial<layout<"data", axes("x", "y")>, "model", op::max>. `names` are the names of
/// the axes.
inline std::string to_string(layout_value const& v, char const* const* names) {
  std::string s = "layout<";
  for (int d = 0; d < v.rank; ++d) s += (d ? ", " : "") + plan_detail::quoted(v.dim[d], names);
  s += ">";
  for (int l = 0; l < v.levels; ++l) {
    layout_detail::axis_list axes;
    plan_detail::each_axis(v.reductions[l].axes, [&](int a) { axes.push(a); });
    s = "partial<" + s + ", " + plan_detail::quoted(axes, names);
    if (v.reductions[l].op != layout_detail::op_sum)
      s += std::string(", op::") + plan_detail::op_text(v.reductions[l].op);
    s += ">";
  }
  return s;
}

/// The same for a layout's type: to_string(layout<"data", none>{}).
template <class L>
  requires layout_detail::is_layout_v<L>
std::string to_string(L) {
  using c = layout_detail::context_of<L>;
  return to_string(layout_detail::value_v<c, L>, meta_detail::names_of_list<typename c::names>::text);
}

/// A step on one line: all_gather over data -> layout<none, "model">.
inline std::string to_string(plan_step const& s, char const* const* names) {
  std::string text = to_text(s.what);
  if (s.axes) text += " over " + plan_detail::joined(s.axes, names);
  if (s.op != layout_detail::op_sum) text += std::string(" (") + plan_detail::op_text(s.op) + ")";
  return text + " -> " + to_string(s.to, names);
}

/// A plan as text: the source layout, then one line per step.
inline std::string to_string(redistribution_plan const& p, char const* const* names) {
  std::string text = to_string(p.layout(0), names) + "\n";
  for (plan_step const& s : p) text += "  " + to_string(s, names) + "\n";
  return text;
}

}  // namespace ashlar
