// A tensor with a halo, whose cells are all one number.
// EXPECT: ashlar::full: the layout has a halo; write generate<T, L>\(m, extents, f\), or with_halo<L>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr mesh<axis<"y">, axis<"x">> m{{2, 2}};
using field = layout<halo("y", 1), halo("x", 1)>;

#ifdef ASHLAR_CONTROL
constexpr auto u = with_halo<field>(full<double, layout<"y", "x">>(m, {8, 8}, 1.));
#else
constexpr auto u = full<double, field>(m, {8, 8}, 1.);
#endif
