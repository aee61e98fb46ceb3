// Differences, quotients and negatives of bool, which NumPy has not either.
// EXPECT: ashlar::elementwise: elements of type bool have no difference; write cast<int>\(x\)
// EXPECT: ashlar::elementwise: elements of type bool have no negative; write cast<int>\(x\)
// EXPECT: ashlar::elementwise: elements of type bool have no quotient; write cast<double>\(x\)
// ERRORS: 3
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<int, layout<"data">>(m, {8});
#else
constexpr auto x = make<bool, layout<"data">>(m, {8});
#endif
constexpr auto difference = x - x, negative = -x, quotient = x / x;
