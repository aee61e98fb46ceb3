// A partial sum padded by a number: each rank would add it.
// EXPECT: ashlar::pad: the tensor is partial, so each rank would add the number; all_reduce it first, or pad with zeros
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = pad(x, {1, 0}, {0, 1});
#else
constexpr auto y = pad(x, {1, 0}, {0, 1}, 1.f);
#endif
