#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Reading a sharded dimension as if it were whole.
namespace of_a_sharded_dimension {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto right = softmax(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::softmax: the axis shards the last dimension, which the operation reads as a whole; all_gather it first
constexpr auto wrong = softmax(make<float, layout<none, "data">>(m, {8, 4}));
}  // namespace of_a_sharded_dimension
