// The rules of elementwise operations and of reductions with every kind of partial reduction, on one axis and on two,
// by the simulation of tests/static/layout/elementwise.cpp at run time.
#include "support/elementwise.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr mesh_shape two_ranks{1, {2}}, three_ranks{1, {3}}, two_by_three{2, {2, 3}};

tally unary_tally(linearity kind, mesh_shape const& mesh) {
  tally t;
  for_each_layout(2, mesh.axes, all_ops,
                  [&](layout_value const& a) { judge_elementwise(t, kind, a, mesh, all_ops, 12); });
  return t;
}

tally binary_tally(linearity kind, int rank_a, int rank_b, mesh_shape const& mesh, unsigned ops) {
  tally t;
  for_each_layout(rank_a, mesh.axes, ops, [&](layout_value const& a) {
    for_each_layout(rank_b, mesh.axes, ops,
                    [&](layout_value const& b) { judge_elementwise(t, kind, a, b, mesh, ops, 12); });
  });
  return t;
}

tally reduction_tally(int op, unsigned dims, int rank, mesh_shape const& mesh) {
  tally t;
  for_each_layout(rank, mesh.axes, all_ops,
                  [&](layout_value const& a) { judge_reduction(t, op, dims, a, mesh, all_ops, 12); });
  return t;
}

}  // namespace

TEST_CASE(
    "two operands and every partial reduction: sound, and complete but for a partial max beside a whole operand") {
  // f(max a, b) = max f(a, b) for a nondecreasing f: sound, yet refused, in four tuples (max or min, first or second).
  struct expected {
    linearity kind;
    int accepted, missed;
  };
  for (auto const& [kind, accepted, missed] : {expected{linearity::linear, 4, 0},
                                               {linearity::multilinear, 5, 0},
                                               {linearity::linear_in_first, 4, 0},
                                               {linearity::nondecreasing, 3, 4},
                                               {linearity::nonlinear, 3, 0}})
    for (mesh_shape const& mesh : {two_ranks, three_ranks})
      for (auto const& [rank_a, rank_b] : {std::array{2, 2}, {2, 1}, {1, 2}, {2, 0}, {0, 2}}) {
        tally const t = binary_tally(kind, rank_a, rank_b, mesh, all_ops);
        CHECK(t.accepted == accepted);
        CHECK(t.unsound == 0);
        CHECK(t.missed == missed);
      }
}

TEST_CASE("on a 2x3 mesh, maps pass nested reductions that they commute with") {
  struct expected {
    linearity kind;
    int accepted;
  };
  // Of 63 layouts 11 are not partial, 7 only sums, 18 only max and min, in 4 of them nested.
  for (auto const& [kind, accepted] :
       {expected{linearity::linear, 18}, {linearity::nondecreasing, 29}, {linearity::nonlinear, 11}}) {
    tally const t = unary_tally(kind, two_by_three);
    CHECK(t.tuples == 63);
    CHECK(t.accepted == accepted);
    CHECK(t.unsound == 0);
    CHECK(t.missed == 0);
  }
}

TEST_CASE("on a 2x3 mesh, two operands are sound and complete in sums") {
  for (auto const& [kind, on_one_axis] :
       {std::pair{linearity::linear, 4}, {linearity::multilinear, 5}, {linearity::nonlinear, 3}})
    for (int rank_b : {2, 1}) {
      // One axis' tuples times the other's, and the second order of two axes on one dimension.
      tally const t = binary_tally(kind, 2, rank_b, two_by_three, sums);
      CHECK(t.accepted == on_one_axis * on_one_axis + 2);
      CHECK(t.unsound == 0);
      CHECK(t.missed == 0);
    }
}

TEST_CASE("a reduction passes its own kind, over any dimensions") {
  for (int op = 0; op < 4; ++op) {
    for (unsigned dims = 1; dims < 8; ++dims) {
      tally const t = reduction_tally(op, dims, 3, two_ranks);
      CHECK(t.tuples == 8);
      CHECK(t.accepted == 5);
      CHECK(t.unsound == 0);
      CHECK(t.missed == 0);
    }
    for (unsigned dims = 1; dims < 4; ++dims) {
      tally const t = reduction_tally(op, dims, 2, two_by_three);
      CHECK(t.tuples == 63);
      CHECK(t.accepted == 4 * 4 + 2);
      CHECK(t.unsound == 0);
      CHECK(t.missed == 0);
    }
  }
}
