// A gather that names the dimension, as libraries for arrays without layouts do.
// EXPECT: ashlar::all_gather: the layout says which dimension the axis shards; write all_gather<.*axis.*>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_gather<"data", gathered::invariant>(x);
#else
constexpr auto y = all_gather<"data", 0>(x);
#endif
