// Types of cosine transforms count from 1.
// EXPECT: ashlar::dct: a cosine or sine transform has type 1, 2, 3 or 4
// ONE ERROR
#include "ashlar/ops/dct.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = dct<1, 4>(x);
#else
constexpr auto y = dct<1, 5>(x);
#endif
