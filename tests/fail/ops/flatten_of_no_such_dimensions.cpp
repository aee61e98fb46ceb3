// The third dimension of a matrix.
// EXPECT: ashlar::flatten: the tensor has no such dimensions, from the first to the last
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
static_assert(flatten(make<float, layout<"data">>(m, {8})).extents() == shape::of(8));
#ifdef ASHLAR_CONTROL
constexpr auto y = flatten<0, 1>(x);
#else
constexpr auto y = flatten<0, 2>(x);
#endif
