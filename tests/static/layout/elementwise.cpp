// The rules of elementwise operations and of reductions, proven by simulation on two ranks: sound and complete.
// (With every kind of partial reduction in two operands, and on two axes: tests/unit/layout/elementwise.cpp.)
#include "support/elementwise.hpp"

using namespace ashlar;
using namespace ashlar::test;

constexpr mesh_shape two_ranks{1, {2}};
constexpr tally proven(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }

// One operand of rank 2: R, S(0), S(1), and P of sum, max, min and prod.
template <linearity Kind>
constexpr tally unary_tally = [] {
  tally t;
  for_each_layout(2, 1, all_ops, [&](layout_value const& a) { judge_elementwise(t, Kind, a, two_ranks, all_ops, 3); });
  return t;
}();
static_assert(unary_tally<linearity::linear> == proven(7, 4));  // not partial, and P(sum)
static_assert(unary_tally<linearity::multilinear> == proven(7, 4));
static_assert(unary_tally<linearity::linear_in_first> == proven(7, 4));
static_assert(unary_tally<linearity::nondecreasing> == proven(7, 5));  // P(max), P(min)
static_assert(unary_tally<linearity::nonlinear> == proven(7, 3));

// Two operands: R, P(sum), S(0), S(1); of lower rank, the leading dimensions are broadcast.
template <linearity Kind, int RankA, int RankB>
constexpr tally binary_tally = [] {
  tally t;
  for_each_layout(RankA, 1, sums, [&](layout_value const& a) {
    for_each_layout(RankB, 1, sums,
                    [&](layout_value const& b) { judge_elementwise(t, Kind, a, b, two_ranks, sums, 3); });
  });
  return t;
}();
template <linearity Kind, int Accepted>
constexpr bool test_binary() {
  // Whichever operand has the sharded dimension, the other is sharded alike or lacks it: as many tuples are accepted.
  static_assert(binary_tally<Kind, 2, 2> == proven(16, Accepted));
  static_assert(binary_tally<Kind, 2, 1> == proven(12, Accepted));
  static_assert(binary_tally<Kind, 1, 2> == proven(12, Accepted));
  return true;
}
static_assert(test_binary<linearity::linear, 4>());           // R R, S(0), S(1), P P
static_assert(test_binary<linearity::multilinear, 5>());      // R R, S(0), S(1), P R, R P
static_assert(test_binary<linearity::linear_in_first, 4>());  // R R, S(0), S(1), P R
static_assert(test_binary<linearity::linear_in_rest, 4>());   // R R, S(0), S(1), R P
static_assert(test_binary<linearity::nondecreasing, 3>());    // R R, S(0), S(1)
static_assert(test_binary<linearity::nonlinear, 3>());

// A reduction over dimensions {0}, {1} and {0, 1}: R; P of its own kind; both shards, partial where they are reduced.
template <int Op, unsigned Dims>
constexpr tally reduction_tally = [] {
  tally t;
  for_each_layout(2, 1, all_ops,
                  [&](layout_value const& a) { judge_reduction(t, Op, Dims, a, two_ranks, all_ops, 3); });
  return t;
}();
template <int Op>
constexpr bool test_reduction() {
  static_assert(reduction_tally<Op, 1> == proven(7, 4));
  static_assert(reduction_tally<Op, 2> == proven(7, 4));
  static_assert(reduction_tally<Op, 3> == proven(7, 4));
  return true;
}
static_assert(test_reduction<layout_detail::op_sum>() && test_reduction<layout_detail::op_max>() &&
              test_reduction<layout_detail::op_min>() && test_reduction<layout_detail::op_prod>());

// An operation along dimension 1, as softmax is: it needs that dimension whole. R and S(0).
constexpr tally whole_tally = [] {
  tally t;
  auto const along_rows = [](array const& x) {
    array const total = reduce(layout_detail::op_sum, 2, x);
    array y = x;
    for (index_t i = 0; i < x.extents.size(); ++i) y[i] = x[i] * x[i] + total[i / x.extents[1]];
    return y;
  };
  for_each_layout(2, 1, all_ops, [&](layout_value const& a) {
    t.judge(layout_detail::whole_dimensions_rule(2, a), 2, all_ops, 3, [&](unsigned data) {
      return experiment(along_rows, two_ranks, arbitrary_tensor(shape::of(2, 3), a, two_ranks, data));
    });
  });
  return t;
}();
static_assert(whole_tally == proven(7, 2));
