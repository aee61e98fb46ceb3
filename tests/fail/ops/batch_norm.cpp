#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto s = build<moving_statistics>(make<float, layout<none>>(m, {4}), make<float, layout<none>>(m, {4}));

// Moving statistics of all channels beside images of some.
namespace channels_sharded_otherwise {
constexpr auto x = make<float, layout<"data", none, none, "model">>(m, {8, 6, 6, 4});
constexpr auto right =
    batch_norm(x, none, none,
               build<moving_statistics>(make<float, layout<"model">>(m, {4}), make<float, layout<"model">>(m, {4})))
        .y;
// error: ashlar::nn::batch_norm: the axis shards the channels of one operand and not of the other, or in another order or in other blocks; give scale, shift and moving statistics the layout of the channels
constexpr auto wrong =
    batch_norm(x, none, none,
               build<moving_statistics>(make<float, layout<none>>(m, {4}), make<float, layout<none>>(m, {4})))
        .y;
}  // namespace channels_sharded_otherwise

// The variance of partial sums. The sentence comes twice: for the moments and for the elements.
namespace of_a_partial_sum {
constexpr auto right = batch_norm(make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4}), none, none, s).y;
// 2 errors: ashlar::nn::batch_norm: the tensor is partial over the axis; all_reduce or reduce_scatter it first
constexpr auto wrong =
    batch_norm(make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4}), none, none, s).y;
}  // namespace of_a_partial_sum

// A scale for each pixel.
namespace scale_of_other_rank {
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto right = batch_norm(x, make<float, layout<none>>(m, {4}), none, s).y;
// error: ashlar::nn::batch_norm: scale, shift and moving statistics have one dimension, the channels
constexpr auto wrong = batch_norm(x, make<float, layout<none, none>>(m, {6, 4}), none, s).y;
}  // namespace scale_of_other_rank
