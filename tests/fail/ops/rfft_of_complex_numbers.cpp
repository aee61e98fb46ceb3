// Half of the coefficients are enough for real numbers only.
// EXPECT: ashlar::rfft: the elements are complex; write fft
// ONE ERROR
#include "ashlar/ops/fft.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<std::complex<double>, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = rfft<1>(real(x));
#else
constexpr auto y = rfft<1>(x);
#endif
