// A user's operation of operands whose layouts contradict each other.
// EXPECT: ashlar::user_operation: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand
// EXPECT: ashlar::user_operation: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first
// EXPECT: ashlar::user_operation: one operand is partial over an axis that shards another; all_reduce or reduce_scatter the first
// EXPECT: ashlar::user_operation: only some operands are partial over the axis; all_reduce them, or write as_partial<axis> of the others
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

struct mix : user_operation<"bc,bc->bc", ""> {};
struct product : user_operation<"b,c->bc", "", linearity::multilinear> {};
struct sum_of_both : user_operation<"bc,bc->bc", "", linearity::linear> {};
constexpr auto rows = make<float, layout<"data", none>>(m, {8, 8});
constexpr auto columns = make<float, layout<none, "data">>(m, {8, 8});
constexpr auto part = make<float, layout<"data">>(m, {8});
constexpr auto term = make<float, partial<replicated<1>, "data">>(m, {8});
constexpr auto terms = make<float, partial<replicated<2>, "data">>(m, {8, 8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)apply(mix{}, rows, redistribute<layout<"data", none>>(columns));
  (void)apply(product{}, term, all_reduce(term));
  (void)apply(product{}, all_reduce(term), part);
  (void)apply(sum_of_both{}, terms, as_partial<"data">(make<float, replicated<2>>(m, {8, 8})));
#else
  (void)apply(mix{}, rows, columns);
  (void)apply(product{}, term, term);
  (void)apply(product{}, term, part);
  (void)apply(sum_of_both{}, terms, make<float, replicated<2>>(m, {8, 8}));
#endif
};
