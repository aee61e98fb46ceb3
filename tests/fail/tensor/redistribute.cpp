#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

// A block of other dimensions than the layout.
namespace redistribute_from_a_view_of_other_dimensions {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return redistribute_from<layout<"x", none>>(m, v, {4, 2});
}
// error: ashlar::redistribute_from: the view and its offset have one dimension for each of the layout
auto wrong(device_mesh<line> const& m, Kokkos::View<float***, Kokkos::LayoutRight> const& v) {
  return redistribute_from<layout<"x", none>>(m, v, {4, 2});
}
}  // namespace redistribute_from_a_view_of_other_dimensions

// Blocks of the program as a partial tensor: each rank would hold the whole value.
namespace redistribute_from_to_a_partial_layout {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return redistribute_from<layout<none, none>>(m, v, {4, 2});
}
// error: ashlar::redistribute_from: the layout is partial; write the layout without it, then as_partial<axis>
auto wrong(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return redistribute_from<partial<layout<none, none>, "x">>(m, v, {4, 2});
}
}  // namespace redistribute_from_to_a_partial_layout

// The elements of a tensor are written to the program's block.
namespace to_a_view_of_const_elements {
void right(sharded_tensor<float, layout<"x", none>> const& x, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
// error: ashlar::redistribute_to: the view is of const elements; give a view of mutable ones
void wrong(sharded_tensor<float, layout<"x", none>> const& x,
           Kokkos::View<float const**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
}  // namespace to_a_view_of_const_elements
