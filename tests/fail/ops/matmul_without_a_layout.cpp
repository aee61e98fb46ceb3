// A product that leaves the layout of its result open.
// EXPECT: ashlar::matmul: name the layout of the result; write matmul<layout<...>>\(a, b\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<double, layout<"p", "q">>(m, {8, 8});
constexpr auto b = make<double, layout<"q", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto c = matmul<layout<"p", none>>(a, b);
#else
constexpr auto c = matmul(a, b);
#endif
