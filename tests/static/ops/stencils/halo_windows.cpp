// Windows over images with halos in dry runs: layouts, the ledger, and the cells that parts need.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;

namespace {

using grid = mesh<axis<"data">, axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2, 2}});
using images = layout<"data", halo("h", 1), halo("w", 1), none>;
using owned_images = layout<"data", "h", "w", none>;
constexpr auto x = exchange_halo(make<float, images>(m, {4, 64, 32, 3}));
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 8});

constexpr auto y = conv2d(x, k);
static_assert(std::is_same_v<layout_t<decltype(y)>, owned_images>);
static_assert(y.extents() == shape::of(4, 64, 32, 8));
static_assert(std::is_same_v<layout_t<decltype(conv2d<images>(x, k))>, images>);
static_assert(conv2d<2>(x, k).extents() == shape::of(4, 32, 16, 8));
static_assert(std::is_same_v<layout_t<decltype(max_pool2d<2>(x))>, owned_images>);
static_assert(std::is_same_v<layout_t<decltype(average_pool2d<images, 2>(x))>, images>);

// Channels that an axis shards leave a partial sum, as without a halo.
using of_channels = layout<none, halo("h", 1), halo("w", 1), "data">;
static_assert(std::is_same_v<layout_t<decltype(conv2d(exchange_halo(make<float, of_channels>(m, {4, 64, 32, 4})),
                                                      make<float, layout<none, none, "data", none>>(m, {3, 3, 4, 8})))>,
                             partial<layout<none, "h", "w", none>, "data">>);

// Two layers forward and backward: an exchange for each, and its transpose for the second, whose images have a cotangent.
constexpr auto step = [](auto const& mesh) {
  auto const pixels = redistribute<fresh<images>>(make<float, layout<"data", none, none, none>>(mesh, {4, 64, 32, 3}));
  auto const first = make<float, replicated<4>>(mesh, {3, 3, 3, 8}),
             second = make<float, replicated<4>>(mesh, {3, 3, 8, 8});
  (void)value_and_grad<axes("data", "h", "w")>([&](auto const& a, auto const& b) {
    return sum(relu(conv2d(exchange_halo(relu(conv2d<images>(pixels, a))), b)));
  })(first, second);
};
constexpr auto log = dry_run(grid{{2, 2, 2}}, step);
static_assert(log.count(collective::exchange_halo) == 2);
static_assert(log.count(collective::add_halo) == 1);
static_assert(log.count() == 3);  // replicated images are sliced
static_assert(log.bytes_per_rank(collective::exchange_halo) == 2 * (33 * 17 - 32 * 16) * (3 + 8) * 4);
static_assert(log.bytes_per_rank(collective::add_halo) == 2 * (33 * 17 - 32 * 16) * 8 * 4);

// Cells beside parts: 7 elements on 3 ranks are 3, 2, 2; every second of them 2, 1, 1.
using layout_detail::windows;
using ops_detail::cells_beside_parts;
constexpr layout_detail::axis_list over_h = [] {
  layout_detail::axis_list a;
  a.push(0);
  return a;
}();
constexpr bool needs(windows const& w, int ranks, index_t below, index_t above) {
  mesh_shape s;
  s.axes = 1;
  s.size[0] = ranks;
  auto const c = cells_beside_parts(w, over_h, s);
  return c.below == below && c.above == above;
}
static_assert(needs({7, 3, 1, 1, padding::same}, 3, 1, 1));
static_assert(needs({7, 1, 2, 1, padding::valid}, 3, 0, 0));
static_assert(needs({6, 2, 2, 1, padding::valid}, 2, 0, 1));  // 3 windows: 2 and 1
static_assert(needs({9, 3, 1, 1, padding::valid}, 9, 0, 2));  // 7 windows on 9 ranks
static_assert(needs({9, 2, 1, 1, padding::valid}, 4, 1, 0));  // 8 windows, 2 each; elements 3, 2, 2, 2
static_assert(needs({5, 3, 1, 2, padding::same}, 2, 2, 2));

}  // namespace
