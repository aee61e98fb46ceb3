// Coefficients that are real numbers.
// EXPECT: ashlar::inverse_rfft: the elements are real, and coefficients are complex; write rfft
// ONE ERROR
#include "ashlar/ops/fft.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = inverse_rfft<1>(rfft<1>(x), 4);
#else
constexpr auto y = inverse_rfft<1>(x, 6);
#endif
