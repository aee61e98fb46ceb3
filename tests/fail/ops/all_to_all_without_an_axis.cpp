// An all_to_all that leaves its axes and its dimension open.
// EXPECT: ashlar::all_to_all: name the axes and the dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_to_all<"data", 1>(x);
#else
constexpr auto y = all_to_all(x);
#endif
