#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

// A whole value that every rank would hold as its summand.
namespace copy_a_partial_to_the_mesh {
namespace right {
using vector = layout<none>;
void copy(device_mesh<line> const& m) { (void)copy_to_mesh<vector>(m, {3}, std::vector<float>(3)); }
}  // namespace right
// error: ashlar::copy_to_mesh: the layout is partial, and each rank would hold the whole value; copy into the layout without it, then write as_partial<axis>
namespace wrong {
using vector = partial<layout<none>, "x">;
void copy(device_mesh<line> const& m) { (void)copy_to_mesh<vector>(m, {3}, std::vector<float>(3)); }
}  // namespace wrong
}  // namespace copy_a_partial_to_the_mesh

// A partial reduction has no elements to gather.
namespace gather_all_of_a_partial {
auto right(sharded_tensor<float, layout<none>, line> const& x) { return gather_all(x); }
// error: ashlar::gather_all: the layout is partial; all_reduce or reduce_scatter it first
auto wrong(sharded_tensor<float, partial<layout<none>, "x", op::max>, line> const& x) { return gather_all(x); }
}  // namespace gather_all_of_a_partial

// A partial reduction has no elements to gather.
namespace of_a_partial {
auto right(sharded_tensor<float, layout<none>, line> const& x) { return gather(x); }
// error: ashlar::gather: the layout is partial; all_reduce or reduce_scatter it first
auto wrong(sharded_tensor<float, partial<layout<none>, "x">, line> const& x) { return gather(x); }
}  // namespace of_a_partial

// The elements of a tensor whose halo holds sums are not complete.
namespace of_halo_sums {
using field = layout<halo("x", 1)>;
std::vector<double> right(sharded_tensor<double, halo_sums<field>, line> const& x) { return gather_all(add_halo(x)); }
// error: ashlar::owned: the halo holds sums; write add_halo(x) first
std::vector<double> wrong(sharded_tensor<double, halo_sums<field>, line> const& x) { return gather_all(x); }
}  // namespace of_halo_sums

// The number of a scalar that is still partial.
namespace item_of_a_partial_scalar {
float right(sharded_tensor<float, layout<>, line> const& x) { return item(x); }
// error: ashlar::item: the scalar is partial; all_reduce it first
float wrong(sharded_tensor<float, partial<layout<>, "x">, line> const& x) { return item(x); }
}  // namespace item_of_a_partial_scalar

// Elements of a whole array are no summands.
namespace scatter_into_a_partial {
auto right(device_mesh<line> const& m, std::vector<float> const& v) { return scatter<layout<none>>(m, {4}, v); }
// error: ashlar::scatter: the layout is partial, and each rank would hold the whole value; scatter into the layout without it, then write as_partial<axis>
auto wrong(device_mesh<line> const& m, std::vector<float> const& v) {
  return scatter<partial<layout<none>, "x">>(m, {4}, v);
}
}  // namespace scatter_into_a_partial

// A tensor of one dimension has an extent.
namespace scatter_without_extents {
auto right(device_mesh<line> const& m, std::vector<float> const& v) { return scatter<layout<>>(m, v); }
// error: ashlar::scatter: give the extents, one per dimension of the layout
auto wrong(device_mesh<line> const& m, std::vector<float> const& v) { return scatter<layout<"x">>(m, v); }
}  // namespace scatter_without_extents

// A number of a tensor with dimensions, a block of a partial tensor, cells of sums from a function, and given cells of an edge that is not given.
namespace values_that_no_rank_has {
namespace right {
auto number_of(sharded_tensor<float, layout<>, line> const& x) { return item(x); }
void write(sharded_tensor<float, layout<none, "x">, line> const& x,
           Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
auto made(device_mesh<line> const& m) {
  return generate<float, layout<halo("x", 1)>>(m, {8}, [](index_t i) { return static_cast<float>(i); });
}
void fill(sharded_tensor<float, layout<halo("x", 1, boundary::given)>, line>& x) {
  set_boundary(x, [](index_t) { return 0.f; });
}
}  // namespace right
namespace wrong {
// error: ashlar::item: the tensor has dimensions; reduce it to a scalar, or gather it
auto number_of(sharded_tensor<float, layout<none>, line> const& x) { return item(x); }
// error: ashlar::redistribute_to: the tensor is partial; all_reduce or reduce_scatter it first
void write(sharded_tensor<float, partial<layout<none, none>, "x">, line> const& x,
           Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
// error: ashlar::generate: a function of the index gives no sums; generate H, or make and fill the cells
auto made(device_mesh<line> const& m) {
  return generate<float, halo_sums<layout<halo("x", 1)>>>(m, {8}, [](index_t i) { return static_cast<float>(i); });
}
// error: ashlar::set_boundary: no boundary of the layout is given; write boundary::given for it, as halo("x", 1, boundary::given)
void fill(sharded_tensor<float, layout<halo("x", 1)>, line>& x) {
  set_boundary(x, [](index_t) { return 0.f; });
}
}  // namespace wrong
}  // namespace values_that_no_rank_has
