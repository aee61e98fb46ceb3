// A picture needs the size of every axis of the layout.
// EXPECT: ashlar::draw_svg: the layout names an axis that the mesh does not have; use one of the mesh's axes
#include "ashlar/plan/draw_svg.hpp"
#include <ostream>
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using columns = layout<none, "x">;
#else
using columns = layout<none, "y">;
#endif
void show(std::ostream& out) { draw_svg<columns>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
