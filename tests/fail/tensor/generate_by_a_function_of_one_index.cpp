// A matrix has two indices. The functions of the last two also say it of tensors with a halo.
// EXPECT: ashlar::generate: the function takes one index_t per dimension; write f\(i, j\) for a matrix
// EXPECT: ashlar::set_beyond: the function takes one index_t per dimension
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/make_haloed.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1, edge::given), none>;

struct slope {
#ifdef ASHLAR_CONTROL
  KOKKOS_FUNCTION double operator()(index_t i, index_t) const { return static_cast<double>(i); }
#else
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
#endif
};
auto matrix(device_mesh<line> const& m) { return generate<double, layout<"x", none>>(m, {8, 8}, slope{}); }
auto grid(device_mesh<line> const& m) { return generate<double, field>(m, {8, 8}, slope{}); }
void border(sharded_tensor<double, field, line> const& u) { set_beyond(u, slope{}); }
