// The rule of users' operations: where no label is whole it is that of elementwise operations, over all layouts of two axes.
#include "ashlar/ops/user_operation.hpp"

using namespace ashlar;

namespace {

// Layouts of a rank: each of two axes stands nowhere (0), in a dimension (1, 2, ...) or is partial by a sum or as a maximum.
constexpr int places(int rank) { return rank + 3; }
constexpr layout_value layout_number(int rank, int code) {
  layout_value v;
  v.rank = rank;
  for (int axis = 0; axis < 2; ++axis, code /= places(rank)) {
    int const place = code % places(rank);
    if (place > rank)
      v.add_partial(place == rank + 1 ? layout_detail::op_sum : layout_detail::op_max, layout_detail::mask_of(axis));
    else if (place > 0)
      v.dim[place - 1].push(axis);
  }
  return v;
}
constexpr int count(int rank) { return places(rank) * places(rank); }

constexpr linearity kinds[]{linearity::linear, linearity::multilinear, linearity::linear_in_first,
                            linearity::nondecreasing, linearity::nonlinear};

constexpr bool agree(rule_result const& a, rule_result const& b) {
  return (a.why == fault::fits) == (b.why == fault::fits) && (a.why != fault::fits || a.out == b.out);
}

constexpr bool one_operand_as_elementwise() {
  layout_detail::einsum_equation const e = layout_detail::parse("ab->ab");
  for (linearity kind : kinds)
    for (int i = 0; i < count(2); ++i) {
      layout_value const a = layout_number(2, i);
      layout_value const* const operands[]{&a};
      if (!agree(ops_detail::user_rule(e, {}, kind, operands), layout_detail::elementwise_rule(kind, a))) return false;
    }
  return true;
}
static_assert(one_operand_as_elementwise());

constexpr bool two_operands_as_elementwise(linearity kind) {
  layout_detail::einsum_equation const e = layout_detail::parse("ab,b->ab");
  for (int i = 0; i < count(2); ++i)
    for (int j = 0; j < count(1); ++j) {
      layout_value const a = layout_number(2, i), b = layout_number(1, j);
      layout_value const* const operands[]{&a, &b};
      if (!agree(ops_detail::user_rule(e, {}, kind, operands), layout_detail::elementwise_rule(kind, a, b)))
        return false;
    }
  return true;
}
static_assert(two_operands_as_elementwise(linearity::linear));
static_assert(two_operands_as_elementwise(linearity::multilinear));
static_assert(two_operands_as_elementwise(linearity::linear_in_first));
static_assert(two_operands_as_elementwise(linearity::nondecreasing));
static_assert(two_operands_as_elementwise(linearity::nonlinear));

// Whole labels: the axis that shards one is the culprit; others go on into the result, whichever operand has them.
constexpr bool whole_labels() {
  layout_detail::einsum_equation const e = layout_detail::parse("bt,bk,t->kb", layout_detail::max_operands);
  layout_detail::einsum_equation::labels whole;
  whole.label[whole.rank++] = 't';
  layout_value bt, bk, t;
  bt.rank = bk.rank = 2;
  t.rank = 1;
  bt.dim[0].push(0);
  bk.dim[0].push(0);
  bk.dim[1].push(1);
  layout_value const* const operands[]{&bt, &bk, &t};
  rule_result const fits = ops_detail::user_rule(e, whole, linearity::nonlinear, operands);
  t.dim[0].push(1);
  rule_result const sharded = ops_detail::user_rule(e, whole, linearity::nonlinear, operands);
  return fits.why == fault::fits && fits.out.dim[0].mask() == layout_detail::mask_of(1) &&
         fits.out.dim[1].mask() == layout_detail::mask_of(0) && fits.out.rank == 2 &&
         sharded.why == fault::sharded_dimension && sharded.axis == 1;
}
static_assert(whole_labels());

}  // namespace
