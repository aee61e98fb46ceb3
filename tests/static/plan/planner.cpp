// The planner in constant evaluation: sentences of its specification. Costs against exhaustive search: tests/unit/plan.
#include "ashlar/plan/planner.hpp"

using namespace ashlar;
using namespace ashlar::planning;

namespace {

enum : int { data, model, pipe };
constexpr axis_mask machine = 7;  // all three axes

constexpr layout_detail::axis_list axes(auto... a) {
  layout_detail::axis_list l;
  (l.push(a), ...);
  return l;
}
constexpr layout_value of(auto const&... dims) {
  layout_value v;
  ((v.dim[v.rank++] = dims), ...);
  return v;
}
constexpr layout_value partial_over(layout_value v, int op, auto... a) {
  v.add_partial(op, (layout_detail::mask_of(a) | ...));
  return v;
}
constexpr layout_detail::axis_list none{};

// Is the plan these collectives, one after the other?
constexpr bool is(planning::redistribution_plan const& p, auto... what) {
  int i = 0;
  return p.size == static_cast<int>(sizeof...(what)) && ((p[i++].what == what) && ...);
}
// Is it one step over these axes?
constexpr bool is_one(planning::redistribution_plan const& p, planning::step_kind what, axis_mask over) {
  return is(p, what) && p[0].axes == over;
}

constexpr layout_value whole = of(none, none), rows = of(axes(data), none), columns = of(none, axes(data));

// One axis: the table of semantics, cell by cell. S -> P and R -> P move nothing.
static_assert(plan(rows, rows, machine).size == 0);
static_assert(is_one(plan(whole, rows), planning::step_kind::slice, layout_detail::mask_of(data)));
static_assert(is_one(plan(rows, whole), planning::step_kind::all_gather, layout_detail::mask_of(data)));
static_assert(is_one(plan(rows, columns), planning::step_kind::all_to_all, layout_detail::mask_of(data)));
static_assert(is_one(plan(partial_over(whole, layout_detail::op_sum, data), whole), planning::step_kind::all_reduce,
                     layout_detail::mask_of(data)));
static_assert(is_one(plan(partial_over(whole, layout_detail::op_sum, data), columns),
                     planning::step_kind::reduce_scatter, layout_detail::mask_of(data)));
static_assert(is_one(plan(whole, partial_over(whole, layout_detail::op_sum, data)), planning::step_kind::pad,
                     layout_detail::mask_of(data)));
static_assert(is_one(plan(rows, partial_over(whole, layout_detail::op_sum, data)), planning::step_kind::pad,
                     layout_detail::mask_of(data)));

// A scalar is split over no axis, however many there are.
static_assert(is_one(plan(partial_over(of(), layout_detail::op_sum, data), of(), machine),
                     planning::step_kind::all_reduce, layout_detail::mask_of(data)));
static_assert(is(plan(partial_over(partial_over(of(), layout_detail::op_sum, data), layout_detail::op_max, model), of(),
                      31),
                 planning::step_kind::all_reduce, planning::step_kind::all_reduce));

// Several axes are one step over their product; an axis stays where what is major to it stays.
static_assert(is_one(plan(of(axes(data, model), none), whole), planning::step_kind::all_gather, 3));
static_assert(is_one(plan(of(axes(data), axes(model)), whole), planning::step_kind::all_gather, 3));
static_assert(is_one(plan(of(axes(data, model), none), of(axes(data), axes(model))), planning::step_kind::all_to_all,
                     layout_detail::mask_of(model)));
static_assert(is_one(plan(of(axes(data, model), none), of(axes(model, data), none)), planning::step_kind::permute, 3));
static_assert(is_one(plan(of(axes(data, model), none), of(axes(model), none)), planning::step_kind::exchange, 3));
static_assert(is_one(plan(of(axes(data), axes(model)), of(axes(model), axes(data))), planning::step_kind::exchange, 3));

// What can be sliced is sliced before it travels, so that the collective has a name.
static_assert(is(plan(columns, of(axes(model), none)), planning::step_kind::slice, planning::step_kind::all_gather));
// But not where the pieces that result begin elsewhere: at extents that do not divide, a slice would drop what is needed.
static_assert(is_one(plan(rows, of(axes(model, data), none)), planning::step_kind::exchange, 3));

// What is partial is scattered first, all axes at once, and only what the target has no place for is reduced as a whole.
static_assert(is_one(plan(partial_over(whole, layout_detail::op_sum, data, model), whole),
                     planning::step_kind::all_reduce, 3));
static_assert(is_one(plan(partial_over(whole, layout_detail::op_sum, data, model), of(axes(data), axes(model))),
                     planning::step_kind::reduce_scatter, 3));
static_assert(is(plan(partial_over(whole, layout_detail::op_sum, data, model), rows),
                 planning::step_kind::reduce_scatter, planning::step_kind::all_reduce));
static_assert(is(plan(partial_over(rows, layout_detail::op_sum, model), columns), planning::step_kind::reduce_scatter,
                 planning::step_kind::exchange));

// The steps as a range, of a plan that nobody keeps, too.
constexpr axis_mask axes_of_all(auto const& steps) {
  axis_mask m = 0;
  for (planning::plan_step const& s : steps) m |= s.axes;
  return m;
}
static_assert(axes_of_all(plan(partial_over(rows, layout_detail::op_sum, model), columns).steps()) == 3);

// Collectives over an axis are that one step, whatever else the layouts name.
static_assert(is_one(plan(partial_over(rows, layout_detail::op_sum, model, pipe),
                          partial_over(rows, layout_detail::op_sum, pipe)),
                     planning::step_kind::all_reduce, layout_detail::mask_of(model)));
static_assert(is_one(plan(partial_over(rows, layout_detail::op_max, model), of(axes(data), axes(model))),
                     planning::step_kind::reduce_scatter, layout_detail::mask_of(model)));
static_assert(is_one(plan(partial_over(rows, layout_detail::op_sum, model),
                          partial_over(whole, layout_detail::op_sum, model)),
                     planning::step_kind::all_gather, layout_detail::mask_of(data)));

// Ranks along an axis that neither layout names share the work, if they are offered: each reduces a part and gathers.
static_assert(is_one(plan(partial_over(whole, layout_detail::op_sum, model), whole), planning::step_kind::all_reduce,
                     layout_detail::mask_of(model)));
static_assert(is(plan(partial_over(whole, layout_detail::op_sum, model), whole, 3), planning::step_kind::slice,
                 planning::step_kind::all_reduce, planning::step_kind::all_gather));

// Nested kinds: the outermost levels that both have stay; the rest is reduced innermost first, padded outermost first.
constexpr layout_value nested =
    partial_over(partial_over(rows, layout_detail::op_sum, model), layout_detail::op_max, pipe);
static_assert(is(plan(nested, rows), planning::step_kind::reduce_scatter, planning::step_kind::reduce_scatter,
                 planning::step_kind::all_gather) &&
              plan(nested, rows)[0].op == layout_detail::op_sum && plan(nested, rows)[1].op == layout_detail::op_max);
static_assert(is_one(plan(nested, partial_over(rows, layout_detail::op_max, pipe)), planning::step_kind::all_reduce,
                     layout_detail::mask_of(model)));
static_assert(is(plan(rows, nested), planning::step_kind::pad, planning::step_kind::pad) &&
              plan(rows, nested)[0].op == layout_detail::op_max);

// Bytes: the rank that receives most, at extents that divide or not. 10 x 6 doubles on 4 ranks, rows: 3 + 3 + 2 + 2.
constexpr shape matrix = shape::of(10, 6);
constexpr mesh_shape line{3, {4, 1, 1}}, grid{3, {2, 3, 1}};
static_assert(plan(rows, whole).bytes_per_rank(matrix, line, 8) == (10 - 2) * 6 * 8);
static_assert(plan(rows, columns).bytes_per_rank(matrix, line, 8) == (10 - 3) * 2 * 8);
static_assert(plan(partial_over(whole, layout_detail::op_sum, data), whole).bytes_per_rank(matrix, line, 8) ==
              2 * (60 - 15) * 8);
static_assert(plan(partial_over(whole, layout_detail::op_sum, data), rows).bytes_per_rank(matrix, line, 8) ==
              (60 - 2 * 6) * 8);
static_assert(plan(partial_over(rows, layout_detail::op_sum, model), whole).bytes_per_rank(matrix, line, 8) ==
              plan(rows, whole).bytes_per_rank(matrix, line, 8));  // an axis of size 1 costs nothing
static_assert(plan(rows, whole).bytes_per_rank(shape::of(0, 6), line, 8) == 0);

// Peak: the source, the shard that is made and packed copies: columns are unpacked on arrival, rows are not; the source
// lives on while a reduced part of it is on its way.
static_assert(plan(rows, whole).peak_bytes(matrix, line, 8) == (18 + 60) * 8);
static_assert(plan(columns, whole).peak_bytes(matrix, line, 8) == (20 + 60 + 60) * 8);
static_assert(plan(partial_over(rows, layout_detail::op_sum, model), columns).peak_bytes(matrix, grid, 8) ==
              (30 + 12 + 30 + 12) * 8);

}  // namespace
