// A partial maximum padded with zeros: the terms of a rank may be negative.
// EXPECT: ashlar::pad: the tensor is partial by another reduction than the sum, whose terms cannot be padded with zeros; all_reduce it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = pad(all_reduce(x), {1, 0}, {0, 1});
#else
constexpr auto y = pad(x, {1, 0}, {0, 1});
#endif
