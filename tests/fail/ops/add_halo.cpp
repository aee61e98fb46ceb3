#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;

// The transpose of an exchange on a tensor whose halo holds no sums.
namespace without_sums {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, field>(m, {8, 8});
constexpr auto right = add_halo(make<double, halo_sums<field>>(m, {8, 8}));
// error: ashlar::add_halo: the halo holds no sums; make the tensor with the layout halo_sums<H>
constexpr auto wrong = add_halo(u);
}  // namespace without_sums

// Cells of neighbours whose sums were not added to the owned cells.
namespace functions_of_halo_sums {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 1), none>;
constexpr auto x = make<float, halo_sums<images>>(m, {1, 8, 8, 3});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
struct shifted {
  static constexpr auto reach = star(0, 1, 1, 0);
  constexpr float operator()(auto const& v) const { return v(0, 1, 0, 0); }
};
constexpr auto right = [] {
  auto const y = add_halo(x);
  (void)owned(y);
  auto const z = exchange_halo(y);
  (void)stencil(shifted{}, z);
  (void)conv2d(z, k);
  (void)max_pool2d<2>(z);
};
constexpr auto wrong = [] {
  auto const z = x;
  // error: ashlar::owned: the halo holds sums; write add_halo(x) first
  (void)owned(x);
  // error: ashlar::stencil: the halo holds sums; write add_halo(x) first
  (void)stencil(shifted{}, z);
  // error: ashlar::nn::conv2d: the halo of the images holds sums; write add_halo(images) first
  (void)conv2d(z, k);
  // error: ashlar::nn::pool2d: the halo of the images holds sums; write add_halo(images) first
  (void)max_pool2d<2>(z);
};
}  // namespace functions_of_halo_sums
