// Steps: the names of their kinds, the step between two layouts, and lists of steps. Bytes and moves: tests/unit/plan.
#include "ashlar/plan/step.hpp"
#include <string_view>

using namespace ashlar;
using namespace ashlar::layout_detail;
using namespace ashlar::plan_detail;

namespace {

// The kinds in order, with their names. All but slice and pad are the collective of their name.
struct kind_and_name {
  planning::step_kind kind;
  std::string_view name;
};
constexpr kind_and_name kinds[]{
    {planning::step_kind::slice, "slice"},           {planning::step_kind::pad, "pad"},
    {planning::step_kind::permute, "permute"},       {planning::step_kind::all_to_all, "all_to_all"},
    {planning::step_kind::all_gather, "all_gather"}, {planning::step_kind::reduce_scatter, "reduce_scatter"},
    {planning::step_kind::all_reduce, "all_reduce"}, {planning::step_kind::exchange, "exchange"},
    {planning::step_kind::broadcast, "broadcast"},   {planning::step_kind::exchange_halo, "exchange_halo"},
    {planning::step_kind::add_halo, "add_halo"}};
constexpr collective all_collectives[]{collective::permute,        collective::all_to_all,    collective::all_gather,
                                       collective::reduce_scatter, collective::all_reduce,    collective::exchange,
                                       collective::broadcast,      collective::exchange_halo, collective::add_halo,
                                       collective::solver};
static_assert([] {
  for (kind_and_name const& k : kinds) {
    bool const local = k.name == "slice" || k.name == "pad";
    if (to_text(k.kind) != k.name || communicates(k.kind) == local) return false;
    int equal = 0;
    for (collective c : all_collectives) {
      if ((k.kind == c) != (to_text(c) == k.name)) return false;
      equal += k.kind == c;
    }
    if (equal != (local ? 0 : 1)) return false;
    bool const moves = k.name == "permute" || k.name == "all_to_all" || k.name == "all_gather" || k.name == "exchange";
    if (moves_elements(k.kind) != moves) return false;
  }
  return to_text(collective::solver) == std::string_view("solver");
}());

constexpr axis_list axes(auto... a) {
  axis_list l;
  (l.push(a), ...);
  return l;
}
constexpr axis_list cyclic(int block, auto... a) {
  axis_list l = axes(a...);
  l.cyclic = static_cast<signed char>(l.size);
  l.block = static_cast<unsigned short>(block);
  return l;
}
constexpr layout_value of(auto const&... dims) {
  layout_value v;
  ((v.dim[v.rank++] = dims), ...);
  return v;
}
constexpr layout_value partial_over(layout_value v, int op, axis_mask m) {
  v.add_partial(op, m);
  return v;
}
constexpr bool is(layout_value const& from, layout_value const& to, planning::step_kind what, axis_mask over,
                  int op = op_sum) {
  planning::plan_step const s = step_between(from, to);
  return s.what == what && s.axes == over && s.op == op && s.from == from && s.to == to;
}

// The lists of one dimension have a common beginning. Block-cyclic axes are in it together or not at all.
static_assert(common_beginning(axes(0, 1, 2), axes(0, 1)) == 2 && common_beginning(axes(0, 1), axes(1, 0)) == 0);
static_assert(common_beginning(axes(), axes(3)) == 0 && common_beginning(axes(4), axes(4)) == 1);
static_assert(common_beginning(cyclic(8, 0, 1), cyclic(8, 0, 1)) == 2);
static_assert(common_beginning(cyclic(8, 0, 1), cyclic(4, 0, 1)) == 0);        // other blocks
static_assert(common_beginning(cyclic(8, 0, 1, 2), cyclic(8, 0, 2, 1)) == 0);  // one order of blocks
static_assert(common_beginning(cyclic(8, 0, 1), cyclic(8, 0)) == 0 && common_beginning(cyclic(8, 0), axes(0)) == 0);

// Without reductions. Axes 0 and 1 are mask 1 and 2.
constexpr layout_value whole = of(axes(), axes()), rows = of(axes(0), axes()), columns = of(axes(), axes(0));
static_assert(is(whole, of(axes(0), axes(1)), planning::step_kind::slice, 3) &&
              is(rows, of(axes(0, 1), axes()), planning::step_kind::slice, 2));
static_assert(is(of(axes(0, 1), axes()), rows, planning::step_kind::all_gather, 2) &&
              is(of(axes(0), axes(1)), whole, planning::step_kind::all_gather, 3));
static_assert(is(rows, columns, planning::step_kind::all_to_all, 1) &&
              is(of(axes(0, 1), axes()), of(axes(0), axes(1)), planning::step_kind::all_to_all, 2));
static_assert(is(of(axes(0, 1)), of(axes(1, 0)), planning::step_kind::permute, 3) &&
              is(of(cyclic(2, 0)), of(axes(0)), planning::step_kind::exchange, 1));
static_assert(is(rows, of(axes(1), axes()), planning::step_kind::exchange, 3) &&
              is(rows, of(axes(1), axes(0)), planning::step_kind::exchange, 3));
// An axis that only splits a dimension further takes no part: each rank slices.
static_assert(is(rows, of(axes(), axes(1)), planning::step_kind::exchange, 1));

// A reduction takes the axes that go, and scatters if a dimension gains some. Its operation is the innermost.
static_assert(is(partial_over(whole, op_max, 3), whole, planning::step_kind::all_reduce, 3, op_max));
static_assert(is(partial_over(whole, op_sum, 3), partial_over(whole, op_sum, 2), planning::step_kind::all_reduce, 1));
static_assert(is(partial_over(whole, op_min, 1), rows, planning::step_kind::reduce_scatter, 1, op_min));
static_assert(is(partial_over(whole, op_sum, 1), of(axes(), axes(1)), planning::step_kind::reduce_scatter, 1));
constexpr layout_value nested = partial_over(partial_over(whole, op_prod, 1), op_max, 2);
static_assert(is(nested, partial_over(whole, op_max, 2), planning::step_kind::all_reduce, 1, op_prod));
static_assert(is(nested, partial_over(rows, op_max, 2), planning::step_kind::reduce_scatter, 1, op_prod));
// Axes that come make the tensor partial. They may have sharded it.
static_assert(is(rows, partial_over(whole, op_sum, 1), planning::step_kind::pad, 1));
static_assert(is(partial_over(whole, op_max, 1), partial_over(whole, op_max, 3), planning::step_kind::pad, 2, op_max));
static_assert(is(partial_over(whole, op_max, 2), nested, planning::step_kind::pad, 1, op_prod));

// A plan has its layouts back, with blocks and reductions, and its steps are those between them.
constexpr layout_value route[]{of(cyclic(64, 0), axes(1)), of(axes(), axes(1)),
                               partial_over(of(axes(), axes(1)), op_min, 1), of(axes(0), axes(1)),
                               of(axes(0, 1), axes())};
constexpr planning::redistribution_plan along(int layouts) {
  planning::redistribution_plan p(route[0]);
  for (int i = 1; i < layouts; ++i) p.push(route[i]);
  return p;
}
constexpr planning::redistribution_plan all = along(5);
static_assert(all.size == 4 && along(1).size == 0 && planning::redistribution_plan().size == 0);
static_assert([] {
  int n = 0;
  for (planning::plan_step const& s : all.steps()) {
    if (s != all[n] || s != step_between(route[n], route[n + 1]) || all.layout(n) != route[n]) return false;
    ++n;
  }
  return n == 4 && all.layout(4) == route[4];
}());
// Plans are equal if all their layouts are. A layout that was popped does not count.
static_assert([] {
  planning::redistribution_plan p = along(5);
  bool right = p == all;
  p.pop();
  right = right && p == along(4) && p != all && p.layout(3) == route[3];
  p.push(of(axes(1), axes(0)));
  right = right && p.size == all.size && p != all;
  planning::redistribution_plan other(of(cyclic(32, 0), axes(1)));  // from other blocks
  for (int i = 1; i < 5; ++i) other.push(route[i]);
  return right && other != all &&
         planning::redistribution_plan(of(axes())) != planning::redistribution_plan(of(axes(), axes()));
}());

}  // namespace
