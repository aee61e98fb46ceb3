// A slice that begins at another number of indices than the tensor has.
// EXPECT: ashlar::slice: give one number per dimension of the tensor, in each of the lists
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = slice(x, {0, 0}, {2, 3});
#else
constexpr auto y = slice(x, {0}, {2});
#endif
