// The fourth of three.
// EXPECT: ashlar::select: the index is one of the first dimension's, counted from 0
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<none, "data">>(m, {3, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = select(x, 2);
#else
constexpr auto y = select(x, 3);
#endif
