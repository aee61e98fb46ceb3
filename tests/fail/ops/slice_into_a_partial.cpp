// A slice whose layout is partial, of a tensor that is not.
// EXPECT: ashlar::slice: the layout is partial otherwise than the tensor; write one that is partial as the tensor is
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = slice<partial<layout<none, "x">, "y">>(x, {0, 0}, {2, 3});
#else
constexpr auto y = slice<layout<none, "x">>(x, {0, 0}, {2, 3});
#endif
