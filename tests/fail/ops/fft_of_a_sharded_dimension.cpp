// A transform along a dimension that ranks share.
// EXPECT: ashlar::fft: the axis shards the dimension that is transformed; redistribute the tensor first
// ONE ERROR
#include "ashlar/ops/fft.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = fft<0>(redistribute<layout<none, "data">>(x));
#else
constexpr auto y = fft<0>(x);
#endif
