// redistribute into a layout with an axis that the mesh does not have.
// EXPECT: ashlar::redistribute: the layout names an axis that the mesh does not have
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = redistribute<layout<none, "data">>(p);
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = redistribute<layout<none, "rows">>(p);
#endif
