// A drawing needs the axes that the layout names.
// EXPECT: ashlar::draw: the layout names an axis that the mesh does not have; use one of the mesh's axes
#include "ashlar/plan/draw.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using L = layout<"x">;
#else
using L = layout<"y">;
#endif
void show(std::ostream& out, line const& m) { draw<L>(out, m, {4}); }
