// Dimensions count from 0.
// EXPECT: ashlar::fft: the tensor has no such dimension; they count from 0
// ONE ERROR
#include "ashlar/ops/fft.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = inverse_fft<1>(x);
#else
constexpr auto y = inverse_fft<2>(x);
#endif
