// A shift along a dimension that ranks share.
// EXPECT: ashlar::fftshift: the axis shards the dimension that is shifted; redistribute the tensor first
// ONE ERROR
#include "ashlar/ops/fftshift.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = fftshift<1>(x);
#else
constexpr auto y = fftshift<0>(x);
#endif
