// From every layout of rank 2 on two axes there is a plan to every other: sharded by blocks or by block-cyclic ones, with partial sums.
#include "ashlar/plan/planner.hpp"

using namespace ashlar;
using namespace ashlar::planning;

namespace {

constexpr int most = 64;
struct layouts {
  layout_value all[most]{};
  int size = 0;
  constexpr void add(layout_value const& v) {
    for (int i = 0; i < size; ++i)
      if (all[i] == v) return;
    all[size++] = v;
  }
};

// Each axis splits a dimension, is partial or does neither; two axes of one dimension stand in either order.
constexpr layouts every_layout() {
  enum { nowhere, first, second, partial_sum, places };
  layouts l;
  for (int a = 0; a < places; ++a)
    for (int b = 0; b < places; ++b)
      for (int major : {0, 1}) {
        layout_value v;
        v.rank = 2;
        int const place[2]{a, b};
        for (int axis : {major, 1 - major}) {
          if (place[axis] == first || place[axis] == second) v.dim[place[axis] - first].push(axis);
          if (place[axis] == partial_sum) v.add_partial(layout_detail::op_sum, layout_detail::mask_of(axis));
        }
        l.add(v);
      }
  for (int d = 0; d < 2; ++d)  // in both dimensions too, as ScaLAPACK distributes matrices
    for (int i = 0, n = l.size; i < n; ++i)
      for (int cyclic = 1; cyclic <= l.all[i].dim[d].size; ++cyclic) {
        layout_value v = l.all[i];
        v.dim[d].cyclic = static_cast<signed char>(cyclic);
        v.dim[d].block = 64;
        l.add(v);
      }
  return l;
}
constexpr layouts every = every_layout();
static_assert(every.size == 18 + 20 + 2);

// From layout I to each one: the steps begin and end where they should, and one communicates where nothing is reduced.
template <int I>
constexpr bool reaches_all() {
  for (int j = 0; j < every.size; ++j) {
    planning::redistribution_plan const p = plan(every.all[I], every.all[j]);
    if (!(p.layout(0) == every.all[I]) || !(p.layout(p.size) == every.all[j])) return false;
    int messages = 0;
    for (int s = 0; s < p.size; ++s) messages += plan_detail::communicates(p[s].what);
    if (messages > (every.all[I].levels ? 2 : 1)) return false;
  }
  return true;
}
template <int... I>
constexpr bool all_reach_all(std::integer_sequence<int, I...>) {
  ([] { static_assert(reaches_all<I>(), "a plan from layout I is missing or leads elsewhere"); }(), ...);
  return true;
}
static_assert(all_reach_all(std::make_integer_sequence<int, every.size>{}));

}  // namespace
