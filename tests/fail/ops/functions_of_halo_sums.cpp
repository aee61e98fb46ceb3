// Cells of neighbours whose sums were not added to the owned cells.
// EXPECT: ashlar::owned: the halo holds sums; write add_halo\(x\) first
// EXPECT: ashlar::as_stale: the halo holds sums; write add_halo\(x\)
// EXPECT: ashlar::stencil: the halo holds sums; write add_halo\(x\) first
// EXPECT: ashlar::conv2d: the halo of the images holds sums; write add_halo\(images\) first
// EXPECT: ashlar::pool2d: the halo of the images holds sums; write add_halo\(images\) first
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 1), none>;
constexpr auto x = make<float, halo_sums<images>>(m, {1, 8, 8, 3});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
struct shifted {
  static constexpr auto reach = star(0, 1, 1, 0);
  constexpr float operator()(auto const& v) const { return v(0, 1, 0, 0); }
};

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  auto const y = add_halo(x);
  (void)owned(y);
  (void)as_stale(y);
  auto const z = exchange_halo(y);
#else
  auto const z = x;
  (void)owned(x);
  (void)as_stale(x);
#endif
  (void)stencil(shifted{}, z);
  (void)conv2d(z, k);
  (void)max_pool2d<2>(z);
};
