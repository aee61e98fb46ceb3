// The order of transpose lacks a dimension, names one twice, or is not there, as in NumPy's transpose(x).
// EXPECT: ashlar::transpose: name each dimension once, in the new order; transpose<0, 2, 1>\(x\) exchanges the last two of three
// EXPECT: order_lacks_a_dimension<.*2, 1>
// EXPECT: order_lacks_a_dimension<.*1, 1>
// EXPECT: order_lacks_a_dimension<.*whole> ?>::value
// EXPECT: order_lacks_a_dimension<.*whole>, 0>::value
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};

constexpr auto x = make<double, layout<"data", none, none>>(m, {10, 4, 3});
constexpr auto a = make<double, layout<"data", none>>(m, {10, 4});
#ifdef ASHLAR_CONTROL
constexpr auto y = transpose<0, 2, 1>(x);
constexpr auto b = transpose<1, 0>(a);
constexpr auto c = transpose<1, 0>(a);
constexpr auto d = transpose<layout<none, "data">, 1, 0>(a);
#else
constexpr auto y = transpose<2, 1>(x);
constexpr auto b = transpose<1, 1>(a);
constexpr auto c = transpose(a);
constexpr auto d = transpose<layout<none, "data">, 0>(a);
#endif
