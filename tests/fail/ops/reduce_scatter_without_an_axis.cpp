// A reduce_scatter that leaves its axes and its dimension open.
// EXPECT: ashlar::reduce_scatter: name the axes and the dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none, none>, "data">>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = reduce_scatter<"data", 0>(x);
#else
constexpr auto y = reduce_scatter(x);
#endif
