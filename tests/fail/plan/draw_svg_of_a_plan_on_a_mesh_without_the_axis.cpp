// The plan of a layout with an axis that the mesh does not have.
// EXPECT: ashlar::draw_svg: a layout names an axis that the mesh does not have; use one of the mesh's axes
#include "ashlar/plan/draw_plan.hpp"
#include <ostream>
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using columns = layout<none, "x">;
#else
using columns = layout<none, "y">;
#endif
void show(std::ostream& out) { draw_svg<layout<"x", none>, columns>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
