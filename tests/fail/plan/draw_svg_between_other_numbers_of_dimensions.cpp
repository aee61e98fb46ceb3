// A redistribution keeps the number of dimensions, and so does the picture of its plan.
// ONE ERROR
// EXPECT: ashlar::draw_svg: the layouts have different numbers of dimensions; a redistribution keeps them
#include "ashlar/plan/draw_plan.hpp"
#include <ostream>
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using columns = layout<none, "x">;
#else
using columns = layout<"x">;
#endif
void show(std::ostream& out) { draw_svg<layout<"x", none>, columns>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
