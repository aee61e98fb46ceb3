// The einsum rule where two axes meet (nested splits, their order, nested reductions), and with every kind of partial
// reduction, by the simulation of tests/static/layout/einsum.cpp at run time.
#include "support/einsum.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <class Visit>
void for_each_tuple(layout_detail::einsum_equation const& e, int axes, unsigned ops, Visit visit) {
  for_each_layout(e.in[0].rank, axes, ops, [&](layout_value const& a) {
    if (e.operands == 1) return visit(a, layout_value{});
    for_each_layout(e.in[1].rank, axes, ops, [&](layout_value const& b) { visit(a, b); });
  });
}

tally tally_of(equation const& text, mesh_shape const& mesh, unsigned ops) {
  layout_detail::einsum_equation const e = layout_detail::parse(text);
  tally t;
  for_each_tuple(e, mesh.axes, ops,
                 [&](layout_value const& a, layout_value const& b) { judge_einsum(t, e, a, b, mesh, ops); });
  return t;
}

constexpr mesh_shape two_by_three{2, {2, 3}};

}  // namespace

TEST_CASE("a product on a 2x3 mesh is sound and complete, whatever the order of the axes") {
  // 6 placements pass on one axis, so 6 * 6 on two, and one more for each of the three labels that both may split: the
  // other order.
  tally const t = tally_of("ik,kj->ij", two_by_three, sums);
  CHECK(t.tuples == 18 * 18);
  CHECK(t.accepted == 6 * 6 + 3);
  CHECK(t.unsound == 0);
  CHECK(t.missed == 0);
}

TEST_CASE("a transpose passes nested reductions of any kind, a product sums only") {
  tally const transpose = tally_of("ij->ji", two_by_three, all_ops);
  CHECK(transpose.tuples == 63);
  CHECK(transpose.accepted == 63);
  CHECK(transpose.unsound == 0);

  tally const row_sums = tally_of("ij->i", two_by_three, all_ops);
  CHECK(row_sums.accepted == 18);
  CHECK(row_sums.unsound == 0);
  CHECK(row_sums.missed == 0);

  tally const product = tally_of("ik,kj->ij", two_by_three, all_ops);
  CHECK(product.tuples == 63 * 63);
  CHECK(product.accepted == 39);
  CHECK(product.unsound == 0);
  CHECK(product.missed == 0);
}

TEST_CASE("axes do not meet: a tuple passes if it passes on each axis, and lists of axes agree in order") {
  layout_detail::einsum_equation const e = layout_detail::parse("ik,kj->ij");
  int accepted = 0;
  for_each_tuple(e, 2, sums, [&](layout_value const& a, layout_value const& b) {
    rule_result const both = layout_detail::einsum_rule(e, a, b),
                      first = layout_detail::einsum_rule(e, a.without(layout_detail::mask_of(1)),
                                                         b.without(layout_detail::mask_of(1))),
                      second = layout_detail::einsum_rule(e, a.without(layout_detail::mask_of(0)),
                                                          b.without(layout_detail::mask_of(0)));
    bool const same_order = a.dim[1].mask() != b.dim[0].mask() || a.dim[1] == b.dim[0];
    bool const passes = first.why == fault::fits && second.why == fault::fits && same_order;
    REQUIRE((both.why == fault::fits) == passes);
    if (!passes) return;
    ++accepted;
    CHECK(both.out.without(layout_detail::mask_of(1)) == first.out);
    CHECK(both.out.without(layout_detail::mask_of(0)) == second.out);
    CHECK(both.out.dim[0] == a.dim[0]);  // a label's list is inherited
    CHECK(both.out.dim[1] == b.dim[1]);
  });
  CHECK(accepted == 39);
}

TEST_CASE("with every partial reduction, what is refused could not be right, but for products of partial products") {
  struct expected {
    equation text;
    int accepted, missed;
  };
  // (a1 a2)(b1 b2) = (a1 b1)(a2 b2): sound, yet refused, since it holds for the bare product only and not for a
  // multiple.
  for (auto const& [text, accepted, missed] : {expected{"ik,kj->ij", 6, 0},
                                               {"bik,bkj->bij", 7, 0},
                                               {"i,i->", 4, 0},
                                               {"i,j->ij", 5, 1},
                                               {"bi,bi->bi", 5, 1},
                                               {"ij->ji", 7, 0},
                                               {"ij->i", 4, 0},
                                               {"ij->", 4, 0},
                                               {"i->i", 6, 0}})
    for (int ranks : {2, 3}) {
      tally const t = tally_of(text, mesh_shape{1, {ranks}}, all_ops);
      CHECK(t.accepted == accepted);
      CHECK(t.unsound == 0);
      CHECK(t.missed == missed);
    }
}

TEST_CASE("a fault names the axis at fault") {
  layout_detail::einsum_equation const e = layout_detail::parse("ik,kj->ij");
  layout_value whole, over_rows, over_columns, summands, maxima, nested;
  whole.rank = over_rows.rank = over_columns.rank = summands.rank = maxima.rank = nested.rank = 2;
  over_rows.dim[0].push(1);
  over_columns.dim[1].push(1);
  summands.add_partial(layout_detail::op_sum, layout_detail::mask_of(1));
  maxima.add_partial(layout_detail::op_max, layout_detail::mask_of(1));
  nested.dim[1].push(0), nested.dim[1].push(1);
  layout_value reversed = whole;
  reversed.dim[0].push(1), reversed.dim[0].push(0);
  struct expected {
    layout_value a, b;
    fault why;
    int axis;
  };
  for (auto const& [a, b, why, axis] : {expected{over_columns, whole, fault::one_sided, 1},
                                        {whole, over_rows, fault::one_sided, 1},
                                        {over_rows, over_columns, fault::conflict, 1},
                                        {nested, reversed, fault::conflict, 0},
                                        {summands, summands, fault::two_partials, 1},
                                        {summands, over_columns, fault::partial_and_shard, 1},
                                        {over_rows, summands, fault::partial_and_shard, 1},
                                        {maxima, whole, fault::not_linear, 1},
                                        {nested, over_rows, fault::one_sided, 0}}) {
    rule_result const r = layout_detail::einsum_rule(e, a, b);
    CHECK(r.why == why);
    CHECK(r.axis == axis);
  }
}
