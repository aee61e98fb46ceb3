// Sums of the terms of a maximum.
// EXPECT: ashlar::cumsum: the tensor is partial over the axis by another reduction than the sum; all_reduce it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = cumsum<0>(all_reduce(x));
#else
constexpr auto y = cumsum<0>(x);
#endif
