#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// A partial maximum of pairs, which nothing orders, reduced on its way to another order of the dimensions.
namespace of_elements_without_an_order {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
struct pair {
  float first, second;
};
constexpr auto right = transpose<1, 0>(make<float, partial<layout<none, none>, "data", op::max>>(m, {8, 6}),
                                       to_layout<layout<"data", none>>);
// error: ashlar::transpose: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them
constexpr auto wrong = transpose<1, 0>(make<pair, partial<layout<none, none>, "data", op::max>>(m, {8, 6}),
                                       to_layout<layout<"data", none>>);
}  // namespace of_elements_without_an_order

// The order of transpose lacks a dimension, names one twice, or is not there, as in NumPy's transpose(x).
namespace to_no_order {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<double, layout<"data", none, none>>(m, {10, 4, 3});
constexpr auto a = make<double, layout<"data", none>>(m, {10, 4});
namespace right {
constexpr auto y = transpose<0, 2, 1>(x);
constexpr auto b = transpose<1, 0>(a);
constexpr auto c = transpose<1, 0>(a);
constexpr auto d = transpose<1, 0>(a, to_layout<layout<none, "data">>);
}  // namespace right
namespace wrong {
// error on each line: ashlar::transpose: name each dimension once, in the new order; transpose<0, 2, 1>(x) exchanges the last two of three
constexpr auto y = transpose<2, 1>(x);
constexpr auto b = transpose<1, 1>(a);
constexpr auto c = transpose(a);
constexpr auto d = transpose<0>(a, to_layout<layout<none, "data">>);
}  // namespace wrong
}  // namespace to_no_order
