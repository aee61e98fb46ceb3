// A number of a tensor with dimensions, a block of a partial tensor, cells of sums from a function, and given cells of an edge that is not given.
// EXPECT: ashlar::item: the tensor has dimensions; reduce it to a scalar, or gather it
// EXPECT: ashlar::redistribute_to: the tensor is partial; all_reduce or reduce_scatter it first
// EXPECT: ashlar::generate: a function of the index gives no sums; generate stale<H>, or make and fill the cells
// EXPECT: ashlar::set_beyond: no edge of the layout is given; write edge::given for it
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using result = layout<>;
using columns = layout<none, "x">;
using cells = stale<layout<halo("x", 1)>>;
using given = layout<halo("x", 1, edge::given)>;
#else
using result = layout<none>;
using columns = partial<layout<none, none>, "x">;
using cells = halo_sums<layout<halo("x", 1)>>;
using given = layout<halo("x", 1)>;
#endif
auto number_of(sharded_tensor<float, result, line> const& x) { return item(x); }
void write(sharded_tensor<float, columns, line> const& x, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
auto made(device_mesh<line> const& m) {
  return generate<float, cells>(m, {8}, [](index_t i) { return static_cast<float>(i); });
}
void fill(sharded_tensor<float, stale<given>, line> const& x) {
  set_beyond(x, [](index_t) { return 0.f; });
}
