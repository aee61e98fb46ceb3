// Ones in the layout of a partial sum: their sum is the number of ranks.
// EXPECT: ashlar::full_like: the tensor is partial
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = zeros_like(x);
#else
constexpr auto y = ones_like(x);
#endif
