// A dimension that the second tensor does not have.
// EXPECT: ashlar::expand: name each dimension of the second tensor that the first one lacks
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr int along = 1;
#else
constexpr int along = 2;
#endif
constexpr auto y = expand<along>(make<float, layout<"data">>(m, {8}), make<float, layout<"data", "model">>(m, {8, 4}));
