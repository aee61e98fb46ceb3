// more errors (clang): the rule of the operation is no constant, which is said twice
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct scan : user_operation<"bt->bt", "t"> {};
struct product : user_operation<"b,c->bc", "", linearity::multilinear> {};

// A user's operation whose result lacks a label that is not whole.
namespace drops_a_label {
namespace right {
struct total : user_operation<"bt->b", "t"> {};
constexpr auto y = apply(total{}, make<float, layout<"data", none>>(m, {8, 4}));
}  // namespace right
// error: ashlar::user_operation: the result lacks a label that is not whole; list it among the whole ones, or keep it and sum the result
namespace wrong {
struct total : user_operation<"bt->b"> {};
constexpr auto y = apply(total{}, make<float, layout<"data", none>>(m, {8, 4}));
}  // namespace wrong
}  // namespace drops_a_label

// A user's operation that is not linear, of a partial sum.
namespace of_a_partial_sum {
struct linear_scan : user_operation<"bt->bt", "t", linearity::linear> {};
constexpr auto x = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
constexpr auto right = apply(linear_scan{}, x);
// error: ashlar::user_operation: the operation is not linear in an operand that is partial over the axis; all_reduce or reduce_scatter it first
constexpr auto wrong = apply(scan{}, x);
}  // namespace of_a_partial_sum

// A user's operation that needs a label whole, on a piece of it.
namespace of_a_sharded_label {
constexpr auto right = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::user_operation: the axis shards a label that the operation needs whole; all_gather it first
constexpr auto wrong = apply(scan{}, make<float, layout<none, "data">>(m, {8, 4}));
}  // namespace of_a_sharded_label

// An operation of the user on one operand, whose equation has two.
namespace of_another_number_of_operands {
constexpr auto whole = make<float, replicated<1>>(m, {8});
constexpr auto right = [] { (void)apply(product{}, whole, whole); };
// error: ashlar::user_operation: the equation names another number of operands than are given; separate them by commas
constexpr auto wrong = [] { (void)apply(product{}, whole); };
}  // namespace of_another_number_of_operands

// A user's operation of five tensors.
namespace of_five_operands {
constexpr auto right = user_operation<"a,b,c,d->abcd">::eq.operands;
// error: ashlar::equation: more than four operands; stack some of them into one tensor, or multiply some first
constexpr auto wrong = user_operation<"a,b,c,d,e->abcde">::eq.operands;
}  // namespace of_five_operands

// A user's operation of operands whose layouts contradict each other.
namespace of_layouts_that_do_not_fit {
struct mix : user_operation<"bc,bc->bc", ""> {};
struct sum_of_both : user_operation<"bc,bc->bc", "", linearity::linear> {};
constexpr auto rows = make<float, layout<"data", none>>(m, {8, 8});
constexpr auto columns = make<float, layout<none, "data">>(m, {8, 8});
constexpr auto part = make<float, layout<"data">>(m, {8});
constexpr auto term = make<float, partial<replicated<1>, "data">>(m, {8});
constexpr auto terms = make<float, partial<replicated<2>, "data">>(m, {8, 8});
constexpr auto right = [] {
  (void)apply(mix{}, rows, redistribute<layout<"data", none>>(columns));
  (void)apply(product{}, term, all_reduce(term));
  (void)apply(product{}, all_reduce(term), part);
  (void)apply(sum_of_both{}, terms, as_partial<"data">(make<float, replicated<2>>(m, {8, 8})));
};
constexpr auto wrong = [] {
  // error: ashlar::user_operation: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand
  (void)apply(mix{}, rows, columns);
  // error: ashlar::user_operation: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first
  (void)apply(product{}, term, term);
  // error: ashlar::user_operation: one operand is partial over an axis that shards another; all_reduce or reduce_scatter the first
  (void)apply(product{}, term, part);
  // error: ashlar::user_operation: only some operands are partial over the axis; all_reduce them, or write as_partial<axis> of the others
  (void)apply(sum_of_both{}, terms, make<float, replicated<2>>(m, {8, 8}));
};
}  // namespace of_layouts_that_do_not_fit

// A user's operation on a tensor of another rank than its equation says.
namespace of_other_rank {
constexpr auto right = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::user_operation: an operand has another number of dimensions than the equation gives it; one letter per dimension
constexpr auto wrong = apply(scan{}, make<float, layout<"data", none, none>>(m, {8, 4, 2}));
}  // namespace of_other_rank

// A user's operation of two tensors that shard a label differently.
namespace one_sided {
struct mix : user_operation<"bt,b->bt", "t"> {};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = apply(mix{}, x, make<float, layout<"data">>(m, {8}));
// error: ashlar::user_operation: a label is sharded over the axis in one operand and not in another; redistribute one of them so that both are sharded alike
constexpr auto wrong = apply(mix{}, x, make<float, layout<none>>(m, {8}));
}  // namespace one_sided

// A label that is to be whole, and that no operand has.
namespace whole_label_unknown {
constexpr auto right = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::user_operation: a label that is to be whole is in no operand; name labels of the equation
namespace wrong {
struct scan : user_operation<"bt->bt", "s"> {};
constexpr auto y = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
}  // namespace wrong
}  // namespace whole_label_unknown
