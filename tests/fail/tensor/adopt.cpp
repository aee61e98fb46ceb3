#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

// Shards are row-major.
namespace adopt_a_column_major_view {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return adopt<layout<"x", none>>(m, v, {4, 2});
}
// error: ashlar::adopt: shards are row-major; give a view of LayoutRight, or write adopt_reversed, whose dimensions are the view's from the last to the first
auto wrong(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutLeft> const& v) {
  return adopt<layout<"x", none>>(m, v, {4, 2});
}
}  // namespace adopt_a_column_major_view

// Shards with halos are row-major, or have the strides of a subview.
namespace adopt_a_column_major_view_with_a_halo {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutStride> const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
// error: ashlar::adopt: shards are row-major; give a view of LayoutRight, or write adopt_reversed, whose dimensions are the view's from the last to the first
auto wrong(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutLeft> const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
}  // namespace adopt_a_column_major_view_with_a_halo

// An exchange writes the halo of an adopted view.
namespace adopt_a_view_of_const_cells_with_a_halo {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
// error: ashlar::adopt: the view is of const elements; copy them, or adopt a view of mutable ones
auto wrong(device_mesh<line> const& m, Kokkos::View<float const**, Kokkos::LayoutRight> const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
}  // namespace adopt_a_view_of_const_cells_with_a_halo

// Memory of other dimensions than the layout, of const elements, and a block of other dimensions.
namespace of_other_dimensions {
namespace right {
using view = Kokkos::View<float**, Kokkos::LayoutRight>;
auto of_view(device_mesh<line> const& m, view const& v) { return adopt<layout<"x", none>>(m, v, {4, 2}); }
auto with_halo_of_view(device_mesh<line> const& m, view const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
auto of_address(device_mesh<line> const& m, float* p) { return adopt<layout<"x", none>>(m, p, {4, 2}); }
void write(sharded_tensor<float, layout<"x", none>, line> const& x, view const& v) { redistribute_to(x, v, {4, 2}); }
}  // namespace right
namespace wrong {
using view = Kokkos::View<float*, Kokkos::LayoutRight>;
// error: ashlar::adopt: the view has another number of dimensions than the layout
auto of_view(device_mesh<line> const& m, view const& v) { return adopt<layout<"x", none>>(m, v, {4, 2}); }
// error: ashlar::adopt: the view has another number of dimensions than the layout
auto with_halo_of_view(device_mesh<line> const& m, view const& v) {
  return adopt<layout<halo("x", 1), none>>(m, v, {4, 2});
}
// error: ashlar::adopt: the address is of const elements; copy them, or adopt elements that may be written
auto of_address(device_mesh<line> const& m, float const* p) { return adopt<layout<"x", none>>(m, p, {4, 2}); }
// error: ashlar::redistribute_to: the view and its offset have one dimension for each of the tensor
void write(sharded_tensor<float, layout<"x", none>, line> const& x, view const& v) { redistribute_to(x, v, {4, 2}); }
}  // namespace wrong
}  // namespace of_other_dimensions

// What is row-major is no reversed view.
namespace adopt_reversed_of_a_row_major_view {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutLeft> const& v) {
  return adopt_reversed<layout<none, "x">>(m, v, {2, 4});
}
// error: ashlar::adopt_reversed: the view is not column-major; adopt takes one of LayoutRight as it is
auto wrong(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return adopt_reversed<layout<none, "x">>(m, v, {2, 4});
}
}  // namespace adopt_reversed_of_a_row_major_view

// adopt takes row-major views with a halo as they are.
namespace adopt_reversed_of_a_row_major_view_with_a_halo {
auto right(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutStride> const& v) {
  return adopt_reversed<layout<halo("x", 1), none>>(m, v, {4, 2});
}
// error: ashlar::adopt_reversed: the view is not column-major; adopt takes one of LayoutRight as it is
auto wrong(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return adopt_reversed<layout<halo("x", 1), none>>(m, v, {4, 2});
}
}  // namespace adopt_reversed_of_a_row_major_view_with_a_halo
