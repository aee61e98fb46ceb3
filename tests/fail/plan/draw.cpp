#include "ashlar/plan/draw.hpp"
#include "ashlar/plan/draw_plan.hpp"
#include "ashlar/plan/draw_svg.hpp"
#include <ostream>

using namespace ashlar;
using namespace ashlar::planning;

// A drawing needs the axes that the layout names.
namespace on_a_mesh_without_the_axis {
using line = mesh<axis<"x">>;
void right(std::ostream& out, line const& m) { draw<layout<"x">>(out, m, {4}); }
// error: ashlar::planning::draw: the layout names an axis that the mesh does not have; use one of the mesh's axes
void wrong(std::ostream& out, line const& m) { draw<layout<"y">>(out, m, {4}); }
}  // namespace on_a_mesh_without_the_axis

// A redistribution keeps the number of dimensions, and so does the picture of its plan.
namespace draw_svg_between_other_numbers_of_dimensions {
void right(std::ostream& out) { draw_svg<layout<"x", none>, layout<none, "x">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
// error: ashlar::planning::draw_svg: the layouts have different numbers of dimensions; a redistribution keeps them
void wrong(std::ostream& out) { draw_svg<layout<"x", none>, layout<"x">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
}  // namespace draw_svg_between_other_numbers_of_dimensions

// The plan of a layout with an axis that the mesh does not have.
namespace draw_svg_of_a_plan_on_a_mesh_without_the_axis {
void right(std::ostream& out) { draw_svg<layout<"x", none>, layout<none, "x">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
// error: ashlar::planning::draw_svg: a layout names an axis that the mesh does not have; use one of the mesh's axes
void wrong(std::ostream& out) { draw_svg<layout<"x", none>, layout<none, "y">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
}  // namespace draw_svg_of_a_plan_on_a_mesh_without_the_axis

// A picture needs the size of every axis of the layout.
namespace draw_svg_on_a_mesh_without_the_axis {
void right(std::ostream& out) { draw_svg<layout<none, "x">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
// error: ashlar::planning::draw_svg: the layout names an axis that the mesh does not have; use one of the mesh's axes
void wrong(std::ostream& out) { draw_svg<layout<none, "y">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }
}  // namespace draw_svg_on_a_mesh_without_the_axis
