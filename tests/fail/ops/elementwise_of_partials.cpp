#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});

// A comparison of a partial sum: no rank knows the sum.
namespace compare_partial {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto right = all_reduce(x) > 0.f;
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr auto wrong = x > 0.f;
}  // namespace compare_partial

// A lambda over a partial sum: nothing says that it is linear.
namespace lambda_over_a_partial {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto twice = [](float v) { return 2 * v; };
constexpr auto right = elementwise<linearity::linear>(twice, x);
// error: ashlar::elementwise: a function of the program takes no partial operand; all_reduce it first, or if the function is linear write elementwise<linearity::linear>(f, x)
constexpr auto wrong = elementwise(twice, x);
}  // namespace lambda_over_a_partial

// relu of a sum that is still partial.
namespace nonlinear_function_of_a_partial {
constexpr auto right = relu(all_reduce<"model">(p));
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr auto wrong = relu(p);
}  // namespace nonlinear_function_of_a_partial

// A product with terms of a sum: cells beyond a given boundary are no terms.
namespace partial_beside_a_given_edge {
using grid = mesh<axis<"y">, axis<"k">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto right = make<double, layout<halo("y", 1)>>(m, {8}) * make<double, partial<layout<"y">, "k">>(m, {8});
// error: ashlar::elementwise: the result is split otherwise than the operand with a halo, or is partial beside a given boundary or by no sum; write owned(x) for this operand
constexpr auto wrong =
    make<double, layout<halo("y", 1, boundary::given)>>(m, {8}) * make<double, partial<layout<"y">, "k">>(m, {8});
}  // namespace partial_beside_a_given_edge

// A number added to a partial sum would be added once per rank.
namespace partial_plus_scalar {
constexpr auto p = make<float, partial<layout<"data">, "model">>(m, {8});
constexpr auto right = p * 2.f;
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr auto wrong = p + 2.f;
}  // namespace partial_plus_scalar

// A partial tensor is added to one that the same axis shards. A rank has terms of all elements of the first, and a part of the second.
namespace partial_plus_shard {
constexpr auto b = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto right = reduce_scatter<"model", 1>(p) + b;
// error: ashlar::elementwise: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first
constexpr auto wrong = p + b;
}  // namespace partial_plus_shard

// A whole tensor added to a partial sum: the message says as_partial.
namespace partial_plus_whole {
constexpr auto b = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = p + as_partial<"model">(b);  // sends nothing; all_reduce<"model">(p) + b has one message
// error: ashlar::elementwise: only one operand is partial over the axis, so the other would be added once per rank; all_reduce the first, or write as_partial<axis>(other)
constexpr auto wrong = p + b;
}  // namespace partial_plus_whole

// A product of two partial sums.
namespace product_of_two_partials {
constexpr auto right = p * all_reduce<"model">(p);
// error: ashlar::elementwise: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first
constexpr auto wrong = p * p;
}  // namespace product_of_two_partials
