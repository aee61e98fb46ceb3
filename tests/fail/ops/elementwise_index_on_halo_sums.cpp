// A function of the index on sums in halo cells.
// EXPECT: ashlar::elementwise: the function takes the index of its element, and the halo of an operand holds sums; write add_halo\(x\) first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto sums = make<double, halo_sums<layout<halo("y", 1)>>>(m, {8});

struct weighted {
  static constexpr linearity kind = linearity::linear;
  constexpr double operator()(cell_index<1> const& at, double x) const { return static_cast<double>(at[0]) * x; }
};

#ifdef ASHLAR_CONTROL
constexpr auto y = elementwise(weighted{}, add_halo(sums));
#else
constexpr auto y = elementwise(weighted{}, sums);
#endif
