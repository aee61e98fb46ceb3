// A picture has two dimensions.
// EXPECT: ashlar::draw_svg: a picture has at most 2 dimensions; print more dimensions by draw
#include "ashlar/plan/draw_svg.hpp"
#include <ostream>
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using batch = layout<"x", none>;
inline constexpr index_t extents[]{4, 4};
#else
using batch = layout<"x", none, none>;
inline constexpr index_t extents[]{4, 4, 4};
#endif
void show(std::ostream& out) { draw_svg<batch>(out, mesh<axis<"x">>{{2}}, extents); }
