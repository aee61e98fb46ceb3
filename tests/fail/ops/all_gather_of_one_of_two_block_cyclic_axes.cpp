// all_gather of the minor one of two axes over which a dimension is block-cyclic.
// EXPECT: ashlar::all_gather: no dimension is split last by the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<cyclic(axes("p", "q"), 2)>>(m, {8});
constexpr auto y = all_gather<axes("p", "q")>(x);
#else
constexpr auto x = make<float, layout<cyclic(axes("p", "q"), 2)>>(m, {8});
constexpr auto y = all_gather<"q">(x);
#endif
