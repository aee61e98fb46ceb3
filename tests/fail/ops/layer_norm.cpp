#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<none>>(m, {4});

// Factors of more dimensions than what they scale.
namespace factors_of_more_dimensions {
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = layer_norm(x, a, a, 1e-5);
// error: ashlar::nn::layer_norm: the factors have one dimension or more, the last ones of x
namespace wrong {
constexpr auto a = make<float, layout<none, none, none>>(m, {2, 8, 4});
constexpr auto y = layer_norm(x, a, a, 1e-5);
}  // namespace wrong
}  // namespace factors_of_more_dimensions

// Normalising a dimension of which each rank has a piece.
namespace of_a_sharded_dimension {
constexpr auto right = layer_norm(make<float, layout<"data", none>>(m, {8, 4}), a, a, 1e-5);
// error: ashlar::nn::layer_norm: the axis shards a dimension that is normalised, or its factors, which the operation reads as a whole; all_gather it first
constexpr auto wrong = layer_norm(make<float, layout<none, "data">>(m, {8, 4}), a, a, 1e-5);
}  // namespace of_a_sharded_dimension

// The root of a partial sum.
namespace rms_norm_of_a_partial_sum {
constexpr auto right = rms_norm(make<float, layout<none, none>>(m, {8, 4}), a, 1e-5);
// error: ashlar::nn::layer_norm: the tensor is partial over the axis; all_reduce or reduce_scatter it first
constexpr auto wrong = rms_norm(make<float, partial<layout<none, none>, "model">>(m, {8, 4}), a, 1e-5);
}  // namespace rms_norm_of_a_partial_sum
