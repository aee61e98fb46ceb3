// A dimension that is to be transformed twice.
// EXPECT: ashlar::fft_to: a dimension is named twice; name each once
// ONE ERROR
#include "ashlar/ops/fft_to.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = fft_to<layout<none, "data">, 0, 1>(x);
#else
constexpr auto y = fft_to<layout<none, "data">, 0, 0>(x);
#endif
