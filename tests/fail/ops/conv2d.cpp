#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto k = make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2});
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
using images = layout<none, halo("h", 1), halo("w", 1), none>;

// An axis that shards the batch and the filters.
namespace batch_and_filters_on_one_axis {
constexpr auto right = conv2d(x, make<float, layout<none, none, none, "model">>(m, {3, 3, 4, 2}));
// error: ashlar::nn::conv2d: the axis shards different dimensions of images and kernel, or channels in another order or in other blocks; redistribute one of them
constexpr auto wrong = conv2d(x, make<float, layout<none, none, none, "data">>(m, {3, 3, 4, 2}));
}  // namespace batch_and_filters_on_one_axis

// Images of 4 channels and a kernel for 5.
namespace channels_of_other_number {
constexpr auto x = make<float, layout<"data", none, none, none>>(m, static_extents<8, 6, 6, 4>{});
constexpr auto right = conv2d(x, make<float, layout<none, none, none, none>>(m, static_extents<3, 3, 4, 2>{}));
// error: ashlar::nn::conv2d: images (n, h, w, i) and kernel (k, l, i, o) have the same number of channels i
constexpr auto wrong = conv2d(x, make<float, layout<none, none, none, none>>(m, static_extents<3, 3, 5, 2>{}));
}  // namespace channels_of_other_number

// Channels sharded in the images and not in the kernel.
namespace channels_one_sided {
constexpr auto x = make<float, layout<none, none, none, "model">>(m, {8, 6, 6, 4});
constexpr auto right = conv2d(x, make<float, layout<none, none, "model", none>>(m, {3, 3, 4, 2}));
// error: ashlar::nn::conv2d: the channels are sharded over the axis in one operand and not in the other; all_gather or redistribute one of them first
constexpr auto wrong = conv2d(x, make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2}));
}  // namespace channels_one_sided

// A convolution that is asked for a layout that is split otherwise than its result, or whose halo is filled.
namespace into_another_split {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = exchange_halo(make<float, images>(m, {1, 8, 8, 3}));
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
constexpr auto right = conv2d<layout<none, halo("h", 2), halo("w", 2), none>>(x, k);
// error: ashlar::halo: the layout of the result that is asked for is split otherwise than the result; write a halo of the result's layout
constexpr auto wrong = conv2d<layout<none, halo("w", 2), halo("h", 2), none>>(x, k);
// error: ashlar::halo: the layout of the result that is asked for is fresh<H>, and the halo of the result is not filled; write H, or leave it out
constexpr auto filled = conv2d<fresh<layout<none, halo("h", 2), halo("w", 2), none>>>(x, k);
}  // namespace into_another_split

// A convolution of images whose channels have a halo.
namespace of_a_halo_of_channels {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
constexpr auto right =
    conv2d(exchange_halo(make<float, layout<none, halo("h", 1), halo("w", 1), none>>(m, {1, 8, 8, 3})), k);
// error: ashlar::nn::conv2d: the batch or the channels have a halo, which no window reads; give only h and w a halo
constexpr auto wrong =
    conv2d(exchange_halo(make<float, layout<none, halo("h", 1), halo("w", 1), halo(none, 1)>>(m, {1, 8, 8, 3})), k);
}  // namespace of_a_halo_of_channels

// A maximum does not pass through a sum.
namespace of_a_partial_maximum {
constexpr auto right = conv2d(make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4}), k);
// error: ashlar::nn::conv2d: only a partial sum passes through a sum of products; all_reduce or reduce_scatter first
constexpr auto wrong =
    conv2d(make<float, partial<layout<none, none, none, none>, "model", op::max>>(m, {8, 6, 6, 4}), k);
}  // namespace of_a_partial_maximum

// A kernel cut within its windows.
namespace of_a_sharded_window {
constexpr auto right = conv2d(x, k);
// error: ashlar::nn::conv2d: the axis shards a spatial dimension of the images or of the kernel, and windows would reach over its shards; all_gather it, or redistribute images to a layout with a halo, as halo("h", 1)
constexpr auto wrong = conv2d(x, make<float, layout<"model", none, none, none>>(m, {3, 3, 4, 2}));
}  // namespace of_a_sharded_window

// A convolution of images whose rows are block-cyclic.
namespace of_cyclic_rows {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
constexpr auto right = conv2d(make<float, replicated<4>>(m, {1, 8, 8, 3}), k);
// error: ashlar::nn::conv2d: the axis shards a spatial dimension of the images or of the kernel, and windows would reach over its shards; all_gather it, or redistribute images to a layout with a halo, as halo("h", 1)
constexpr auto wrong = conv2d(make<float, layout<none, cyclic("h", 2), none, none>>(m, {1, 8, 8, 3}), k);
}  // namespace of_cyclic_rows

// Images without channels.
namespace of_other_rank {
constexpr auto right = conv2d(x, k);
// error: ashlar::nn::conv2d: images (n, h, w, channels) and kernel (k, l, channels, filters) have four dimensions each
constexpr auto wrong = conv2d(make<float, layout<"data", none, none>>(m, {8, 6, 6}), k);
}  // namespace of_other_rank

// Windows that would reach over the pieces of an image.
namespace of_sharded_pixels {
constexpr auto right = conv2d(x, k);
// error: ashlar::nn::conv2d: the axis shards a spatial dimension of the images or of the kernel, and windows would reach over its shards; all_gather it, or redistribute images to a layout with a halo, as halo("h", 1)
constexpr auto wrong = conv2d(make<float, layout<none, "data", none, none>>(m, {8, 6, 6, 4}), k);
}  // namespace of_sharded_pixels

// Two operands that are partial.
namespace of_two_partials {
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});
constexpr auto right = conv2d(x, k);
// error: ashlar::nn::conv2d: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first
constexpr auto wrong = conv2d(x, make<float, partial<layout<none, none, none, none>, "model">>(m, {3, 3, 4, 2}));
}  // namespace of_two_partials

// A convolution of images whose halo was not exchanged.
namespace on_an_unfilled_halo {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, images>(m, {1, 8, 8, 3});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
constexpr auto right = conv2d(exchange_halo(x), k);
// error: ashlar::nn::conv2d: the halo of the images is not filled; write exchange_halo(images)
constexpr auto wrong = conv2d(x, k);
}  // namespace on_an_unfilled_halo

// A partial sum over the axis that shards the kernel.
namespace partial_meets_shard {
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});
constexpr auto right = conv2d(x, make<float, layout<none, none, none, "data">>(m, {3, 3, 4, 2}));
// error: ashlar::nn::conv2d: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first
constexpr auto wrong = conv2d(x, make<float, layout<none, none, none, "model">>(m, {3, 3, 4, 2}));
}  // namespace partial_meets_shard

// Windows that do not move on.
namespace stride_of_zero {
constexpr auto right = conv2d<1>(x, k);
// error: ashlar::nn::conv2d: stride and dilation are 1 or more
constexpr auto wrong = conv2d<0>(x, k);
}  // namespace stride_of_zero

// A kernel of static extents that is wider than the halo of the images.
namespace wider_than_the_halo {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 2), none>;
constexpr auto photo = exchange_halo(make<float, images>(m, {1, 8, 8, 3}));
constexpr auto right = conv2d(photo, make<float, replicated<4>>(m, static_extents<3, 5, 3, 2>{}));
// error: ashlar::nn::conv2d: windows of the kernel reach beyond the halo; widen the halo of this dimension to half the kernel's reach
constexpr auto wrong = conv2d(photo, make<float, replicated<4>>(m, static_extents<5, 5, 3, 2>{}));
}  // namespace wider_than_the_halo

// A convolution that reads corners, of images whose corners were not exchanged.
namespace without_corners {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});
constexpr auto right =
    conv2d(exchange_halo<corners::skipped>(make<float, layout<none, halo("h", 1), none, none>>(m, {1, 8, 8, 3})), k);
// error: ashlar::nn::conv2d: windows read corners, which were not exchanged; write exchange_halo(images) without corners::skipped
constexpr auto wrong = conv2d(
    exchange_halo<corners::skipped>(make<float, layout<none, halo("h", 1), halo("w", 1), none>>(m, {1, 8, 8, 3})), k);
}  // namespace without_corners
