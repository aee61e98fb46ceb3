// A transform of integers.
// EXPECT: ashlar::fft: elements are float, double or their complex numbers; write cast<double>\(x\)
// ONE ERROR
#include "ashlar/ops/fft.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<int, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = fft<1>(cast<double>(x));
#else
constexpr auto y = fft<1>(x);
#endif
