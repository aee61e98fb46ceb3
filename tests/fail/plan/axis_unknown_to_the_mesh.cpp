// A layout that names an axis the mesh does not have.
// EXPECT: ashlar::make: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data">>(m, {8});
#else
constexpr auto x = make<float, layout<"rows">>(m, {8});
#endif
