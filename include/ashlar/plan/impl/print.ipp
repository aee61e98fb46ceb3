// SPDX-License-Identifier: BSL-1.0
// The functions of plan/print.hpp.

namespace ashlar::plan_detail {

ASHLAR_INLINE std::string quoted(axis_list const& axes, char const* const* names) {
  std::string s;
  for (int i = 0; i < axes.size; ++i) s += std::string(i ? ", \"" : "\"") + names[axes[i]] + "\"";
  if (axes.size == 0) return "none";
  if (axes.size > 1) s = "axes(" + s + ")";
  if (!axes.block) return s;
  // A program cannot spell axes after the block-cyclic ones. Only intermediate layouts of plans have them.
  return "cyclic(" + s + ", " + std::to_string(axes.block) +
         (axes.cyclic < axes.size ? " over the first " + std::to_string(axes.cyclic) : "") + ")";
}

ASHLAR_INLINE std::string joined(axis_mask axes, char const* const* names) {
  std::string s;
  each_axis(axes, [&](int a) { s += std::string(s.empty() ? "" : "+") + names[a]; });
  return s;
}

ASHLAR_INLINE char const* op_text(int op) {
  constexpr char const* text[]{"sum", "max", "min", "prod"};
  return op < 4 ? text[op] : "a reduction of the user's";
}

}  // namespace ashlar::plan_detail

namespace ashlar {

ASHLAR_INLINE std::string to_string(layout_value const& v, char const* const* names) {
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

ASHLAR_INLINE std::string to_string(planning::plan_step const& s, char const* const* names) {
  std::string text = to_text(s.what);
  if (s.axes) text += " over " + plan_detail::joined(s.axes, names);
  if (s.op != layout_detail::op_sum) text += std::string(" (") + plan_detail::op_text(s.op) + ")";
  return text + " -> " + to_string(s.to, names);
}

ASHLAR_INLINE std::string to_string(planning::redistribution_plan const& p, char const* const* names) {
  std::string text = to_string(p.layout(0), names) + "\n";
  for (planning::plan_step const& s : p) text += "  " + to_string(s, names) + "\n";
  return text;
}

}  // namespace ashlar
