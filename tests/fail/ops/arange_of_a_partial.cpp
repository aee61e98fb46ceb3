// A vector that counts, in the layout of a partial sum: the sum would count in steps of the number of ranks.
// EXPECT: ashlar::arange: the layout is partial
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = as_partial<"data">(arange<float, layout<none>>(m, 8));
#else
constexpr auto y = arange<float, partial<layout<none>, "data">>(m, 8);
#endif
