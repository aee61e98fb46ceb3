// The third dimension of a matrix, cut in two.
// EXPECT: ashlar::unflatten: the tensor has no such dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
#ifdef ASHLAR_CONTROL
constexpr auto y = unflatten<1>(x, {2, 2});
#else
constexpr auto y = unflatten<2>(x, {2, 2});
#endif
