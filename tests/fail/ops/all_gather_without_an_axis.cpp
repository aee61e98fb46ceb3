// A gather that leaves its axes open.
// EXPECT: ashlar::all_gather: name the axes whose shards are gathered
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_gather<"data">(x);
#else
constexpr auto y = all_gather(x);
#endif
