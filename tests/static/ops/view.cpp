// The rules of joining and cutting dimensions, proven by simulation on two ranks: a rank reshapes what it has.
#include "ashlar/ops/view.hpp"
#include "support/simulated_mesh.hpp"

using namespace ashlar;
using namespace ashlar::test;

constexpr mesh_shape two_ranks{1, {2}};
constexpr tally proven(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }

constexpr array merged(array a, int first, int last) {
  shape s;
  for (int d = 0; d < a.extents.rank; ++d)
    if (d > first && d <= last)
      s[s.rank - 1] *= a.extents[d];
    else
      s[s.rank++] = a.extents[d];
  a.extents = s;
  return a;
}

// Dimension `dim` cut in two, of which the second has `minor` elements.
constexpr array unflattened(array a, int dim, index_t minor) {
  if (a.extents[dim] % minor != 0) return array::undefined();
  shape s;
  for (int d = 0; d < a.extents.rank; ++d) {
    s[s.rank++] = d == dim ? a.extents[d] / minor : a.extents[d];
    if (d == dim) s[s.rank++] = minor;
  }
  a.extents = s;
  return a;
}

constexpr tally flatten_tally(shape const& extents, int first, int last) {
  tally t;
  for_each_layout(extents.rank, 1, all_ops, [&](layout_value const& a) {
    t.judge(ops_detail::flatten_rule(a, first, last), extents.rank - (last - first), all_ops, 3, [&](unsigned data) {
      return experiment([&](array const& x) { return merged(x, first, last); }, two_ranks,
                        arbitrary_tensor(extents, a, two_ranks, data));
    });
  });
  return t;
}

constexpr tally unflatten_tally(shape const& extents, int dim, index_t minor) {
  tally t;
  for_each_layout(extents.rank, 1, all_ops, [&](layout_value const& a) {
    t.judge(ops_detail::unflatten_rule(a, dim, 2), extents.rank + 1, all_ops, 3, [&](unsigned data) {
      return experiment([&](array const& x) { return unflattened(x, dim, minor); }, two_ranks,
                        arbitrary_tensor(extents, a, two_ranks, data));
    });
  });
  return t;
}

// R, P of four kinds, and S of each dimension: only those joined to a dimension before them are refused, and of them no
// layout of the joined dimension would do, since a rank's elements are strided there.
static_assert(flatten_tally(shape::of(4, 3), 0, 1) == proven(7, 6));     // refused: S(1)
static_assert(flatten_tally(shape::of(4, 3, 2), 0, 1) == proven(8, 7));  // S(1)
static_assert(flatten_tally(shape::of(3, 4, 2), 1, 2) == proven(8, 7));  // S(2)
static_assert(flatten_tally(shape::of(4, 3, 2), 0, 2) == proven(8, 6));  // S(1), S(2)
static_assert(flatten_tally(shape::of(4, 3), 1, 1) == proven(7, 7));     // nothing is joined

// Evenness is the caller's to check: 3 rows of 2 go as 4 + 2 elements, but 6 elements as 3 + 3.
static_assert(flatten_tally(shape::of(3, 2), 0, 1) == tally{7, 6, 1, 0});

// Cutting is the way back: the axes stay with the major part, which must hold their pieces whole.
static_assert(unflatten_tally(shape::of(8, 3), 0, 2) == proven(7, 7));
static_assert(unflatten_tally(shape::of(3, 8), 1, 2) == proven(7, 7));
static_assert(unflatten_tally(shape::of(6, 2), 0, 2) == tally{7, 7, 1, 0});  // 3 rows of 2 for two ranks

// On any axes and for any number of parts, the two undo each other.
constexpr bool test_round_trip() {
  bool same = true;
  for_each_layout(3, 3, sums, [&](layout_value const& v) {
    for (int dim = 0; dim < 3; ++dim)
      for (int count = 1; count < 5; ++count) {
        rule_result const cut = ops_detail::unflatten_rule(v, dim, count);
        same = same && cut.why == fault::fits && ops_detail::flatten_rule(cut.out, dim, dim + count - 1).out == v;
      }
  });
  return same;
}
static_assert(test_round_trip());
