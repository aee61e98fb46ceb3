#include "ashlar/ops/functions.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
using grid = mesh<axis<"data">, axis<"model">>;

// Elements that no kernel, message or file has.
namespace elements_of_other_types {
#if defined(__clang__) || __GNUC__ >= 13
using bhalf = __bf16;
#else
using bhalf = float volatile;  // another that is not supported
#endif
enum mood { good, bad };
void right(device_mesh<line> const& m) {
  auto const one = [](index_t) { return std::int8_t(1); };
  (void)gather_all(square(make<float, layout<"x">>(m, {8})));
  (void)gather_all(generate<std::int8_t, layout<"x">>(m, {8}, one));
  (void)all_gather<"x">(make<unsigned char, layout<"x">>(m, {8}));
  (void)gather_all(elementwise([](float e) { return double(e); }, make<float, layout<"x">>(m, {8})));
}
void wrong(device_mesh<line> const& m) {
  auto const one = [](index_t) { return char(1); };
  auto const longer = [](float e) { return Kokkos::complex<long double>(e); };
  // error on each line: ashlar::make: elements of this type are not supported; write float or double, std::int8_t to std::uint64_t, bool, or Kokkos::complex of float or double
  (void)gather_all(square(make<_Float16, layout<"x">>(m, {8})));
  (void)gather_all(generate<char, layout<"x">>(m, {8}, one));
  (void)all_gather<"x">(make<mood, layout<"x">>(m, {8}));
  (void)make<bhalf, layout<"x">>(m, {8});
  (void)gather_all(elementwise(longer, make<float, layout<"x">>(m, {8})));
}
}  // namespace elements_of_other_types

// A member and what is computed from it, in a layout with an axis that the mesh lacks: one error, and none of the computation.
namespace member_over_an_unknown_axis {
namespace right {
using columns = layout<none, "model">;
struct layer {
  sharded_tensor<float, columns, grid> kernel;
};
float total(device_mesh<grid> const& m) {
  layer const l{uniform<float, columns>(m, {784, 200}, prng_key{1})};
  return item(all_reduce(sum(exp(l.kernel) + 1.f)));
}
}  // namespace right
// error: ashlar::sharded_tensor: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
namespace wrong {
using columns = layout<none, "Model">;
struct layer {
  sharded_tensor<float, columns, grid> kernel;
};
float total(device_mesh<grid> const& m) {
  layer const l{uniform<float, columns>(m, {784, 200}, prng_key{1})};
  return item(all_reduce(sum(exp(l.kernel) + 1.f)));
}
}  // namespace wrong
}  // namespace member_over_an_unknown_axis

// A mesh of ranks from its sizes alone.
namespace mesh_without_a_communicator {
device_mesh<grid> right() { return device_mesh<grid>(MPI_COMM_WORLD, {2, 4}); }
namespace wrong {
// error on each line: ashlar::device_mesh: sizes alone are no ranks; name the communicator first, as in device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
device_mesh<grid> from_a_value() { return device_mesh<grid>(grid{{2, 4}}); }
device_mesh<grid> from_sizes() { return device_mesh<grid>({2, 4}); }
}  // namespace wrong
}  // namespace mesh_without_a_communicator

// The sizes of a mesh without braces.
namespace mesh_of_single_sizes {
device_mesh<grid> right() { return device_mesh<grid>(MPI_COMM_WORLD, {2, 4}); }
// error: ashlar::device_mesh: the sizes are one argument; write them in braces, as in device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
device_mesh<grid> wrong() { return device_mesh<grid>(MPI_COMM_WORLD, 2, 4); }
}  // namespace mesh_of_single_sizes

// The part of a rank, and the value of a layout, with an axis that the mesh lacks.
namespace part_over_an_unknown_axis {
using grid = mesh<axis<"y">, axis<"x">>;
namespace right {
index_t rows_of(device_mesh<grid> const& m) { return local_region<layout<"y", none>>(m, {100, 100}).dim[0].size(); }
shape block_of(device_mesh<grid> const& m) {
  return local_shape(shape::of(100, 100), layout_value_v<grid, layout<none, "x">>, m.sizes(), m.rank());
}
}  // namespace right
namespace wrong {
// error: ashlar::layout_value_v: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
index_t rows_of(device_mesh<grid> const& m) { return local_region<layout<"Y", none>>(m, {100, 100}).dim[0].size(); }
// error: ashlar::layout_value_v: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
shape block_of(device_mesh<grid> const& m) {
  return local_shape(shape::of(100, 100), layout_value_v<grid, layout<none, "X">>, m.sizes(), m.rank());
}
}  // namespace wrong
}  // namespace part_over_an_unknown_axis

// A row of one whole label, read by two indices.
namespace row_with_two_indices {
float right(tensor_row<float, 1> const& row) { return row(0); }
// error: ashlar::tensor_row: a row has one index for each whole label of its tensor
float wrong(tensor_row<float, 1> const& row) { return row(0, 0); }
}  // namespace row_with_two_indices

// A tensor with two arguments is on a mesh of just the axes of its layout; a mesh of more axes is the third.
namespace tensor_on_another_mesh {
using grid = mesh<axis<"x">, axis<"y">>;
using rows = layout<"x", none>;
using haloed = layout<halo("x", 1), none>;
namespace right {
using tensor_of_rows = sharded_tensor<float, rows, grid>;
using tensor_with_halo = sharded_tensor<float, haloed, grid>;
void assigned(device_mesh<grid> const& m) {
  tensor_of_rows x = zeros<float, rows>(m, {3, 4});
  x = zeros<float, rows>(m, {3, 4});
  tensor_with_halo const h = redistribute<haloed>(zeros<float, rows>(m, {3, 4}));
}
void made(device_mesh<grid> const& m) {
  tensor_of_rows const x(m, shape::of(3, 4));
  tensor_with_halo const h(m, shape::of(3, 4));
}
}  // namespace right
namespace wrong {
using tensor_of_rows = sharded_tensor<float, rows>;
using tensor_with_halo = sharded_tensor<float, haloed>;
// 2 errors: ashlar::sharded_tensor: the assigned tensor is on another mesh than the variable; name its mesh as the third argument, as in sharded_tensor<T, L, grid>, or write auto y = x
void assigned(device_mesh<grid> const& m) {
  tensor_of_rows x = zeros<float, rows>(m, {3, 4});
  x = zeros<float, rows>(m, {3, 4});
  tensor_with_halo const h = redistribute<haloed>(zeros<float, rows>(m, {3, 4}));
}
// 2 errors: ashlar::sharded_tensor: the tensor is on another mesh than the given one; name this mesh as the third argument, as in sharded_tensor<T, L, grid>, or write make<T, L>(m, extents)
void made(device_mesh<grid> const& m) {
  tensor_of_rows const x(m, shape::of(3, 4));
  tensor_with_halo const h(m, shape::of(3, 4));
}
}  // namespace wrong
}  // namespace tensor_on_another_mesh

// Tensors whose layouts name an axis that the mesh does not have.
namespace tensor_over_an_unknown_axis {
namespace right {
auto rank_of(sharded_tensor<float, layout<"x", none>, line> const& x) { return x.extents().rank; }
auto rank_of_halo(sharded_tensor<float, layout<halo("x", 1), none>, line> const& x) { return x.extents().rank; }
}  // namespace right
namespace wrong {
// error on each line: ashlar::sharded_tensor: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
auto rank_of(sharded_tensor<float, layout<"y", none>, line> const& x) { return x.extents().rank; }
auto rank_of_halo(sharded_tensor<float, layout<halo("y", 1), none>, line> const& x) { return x.extents().rank; }
}  // namespace wrong
}  // namespace tensor_over_an_unknown_axis

// Tensors on a mesh whose axes have one name: the mesh's error, and none of the tensors.
namespace tensors_on_a_mesh_of_one_name {
float right(device_mesh<grid> const& m) { return item(all_reduce(sum(full<float, layout<"data">>(m, {8}, 1.f)))); }
// error: ashlar::mesh: two axes have the same name; give each axis a name of its own
float wrong(device_mesh<mesh<axis<"data">, axis<"data">>> const& m) {
  return item(all_reduce(sum(full<float, layout<"data">>(m, {8}, 1.f))));
}
}  // namespace tensors_on_a_mesh_of_one_name

// A variable that begins as a tensor of another layout, of other elements, and with a halo.
namespace variable_of_another_layout {
using field = layout<halo("x", 1)>;
template <class L>
using tensor_of = sharded_tensor<double, L, line>;
namespace right {
void columns(tensor_of<layout<"x", none>> const& x) {
  tensor_of<layout<none, "x">> y = redistribute<layout<none, "x">>(x);
}
void step(tensor_of<field> const& v) { tensor_of<fresh<field>> u = exchange_halo(v); }
}  // namespace right
namespace wrong {
// error: ashlar::sharded_tensor: a variable keeps its layout, mesh and element type, and the assigned tensor has others; write auto y = x, redistribute<L>(x), or cast<T>(x)
void columns(tensor_of<layout<"x", none>> const& x) { tensor_of<layout<none, "x">> y = x; }
// error: ashlar::sharded_tensor: a variable keeps its layout and the state of its halo, and the assigned tensor has others; write auto v = exchange_halo(u) beside the variable, or exchange_halo(x) for a variable of fresh<H>
void step(tensor_of<field> const& v) { tensor_of<fresh<field>> u = v; }
}  // namespace wrong
}  // namespace variable_of_another_layout

// A variable that auto has made an expression.
namespace assigned_expression {
void right(sharded_tensor<double, layout<"x">, line> const& x) {
  auto y = (x + 1.).evaluate();
  y = 2. * y;
  y = y * x - 1.;
  auto z = x + 1.;
  z = x + 2.;
}
void wrong(sharded_tensor<double, layout<"x">, line> const& x) {
  auto y = x + 1.;
  // error on each line: ashlar::expression: the variable is an expression, which keeps its type; make it a tensor by auto z = (expression).evaluate()
  y = 2. * y;
  y = x;
}
}  // namespace assigned_expression

// The view of a tensor that nobody keeps.
namespace view_of_a_temporary {
float right(device_mesh<line> const& m) {
  auto const x = ones<float, layout<none>>(m, {8});
  auto const y = square(x).evaluate();
  return x.view()(0) + y.data()[1];
}
void wrong(device_mesh<line> const& m) {
  // error on each line: ashlar::view: the tensor is a temporary, and its memory goes with it; name it first, as in auto x = f(y)
  (void)ones<float, layout<none>>(m, {8}).view();
  (void)ones<float, layout<none, none>>(m, {8, 2}).data();
  (void)square(ones<float, layout<none, none, none>>(m, {8, 2, 2})).view();
}
}  // namespace view_of_a_temporary

// Cells beyond the domain of a tensor that does not change.
namespace given_cells_of_a_const_tensor {
using given = layout<halo("x", 1, boundary::given)>;
struct wall {
  ASHLAR_FUNCTION double operator()(index_t i) const { return i < 0 ? 1. : 0.; }
};
void right(sharded_tensor<double, given, line>& u) { set_boundary(u, wall{}); }
// error: ashlar::set_boundary: the tensor is const; declare it without const
void wrong(sharded_tensor<double, given, line> const& u) { set_boundary(u, wall{}); }
}  // namespace given_cells_of_a_const_tensor
