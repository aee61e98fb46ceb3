// A vector as a box of a matrix.
// EXPECT: ashlar::concatenate: the operands have different numbers of dimensions; unflatten one of them
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = paste(x, {0, 0}, slice(x, {0, 0}, {2, 2}));
#else
constexpr auto y = paste(x, {0, 0}, make<float, layout<"x">>(m, {4}));
#endif
