// A slice whose layout names an axis that the mesh lacks.
// EXPECT: ashlar::slice: the layout names an axis that the mesh does not have; use one of the mesh.s axes
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = slice<layout<none, "y">>(x, {0, 0}, {2, 3});
#else
constexpr auto y = slice<layout<none, "z">>(x, {0, 0}, {2, 3});
#endif
