// A joined dimension whose first part does not divide by its ranks.
// EXPECT: ashlar::merge: the first of the dimensions joined .* divides by the ranks
#include "ashlar/plan/plan.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = merge<0, 1>(x);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {7, 4});
constexpr auto y = merge<0, 1>(x);
#endif
