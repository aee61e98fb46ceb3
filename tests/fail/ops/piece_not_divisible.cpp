// A joined dimension whose first part does not divide by its ranks.
// EXPECT: ashlar::flatten: the first of the dimensions joined .* divides by the ranks
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = flatten<0, 1>(x);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {7, 4});
constexpr auto y = flatten<0, 1>(x);
#endif
