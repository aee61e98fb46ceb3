#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<none, "data">>(m, {3, 8});

// One index of no dimension.
namespace of_a_scalar {
constexpr auto right = select(x, 0);
// error: ashlar::select: the tensor is a scalar; it has no dimension of which to take one index
constexpr auto wrong = select(sum(x), 0);
}  // namespace of_a_scalar

// One index of a dimension that lies in pieces on several ranks.
namespace of_a_sharded_dimension {
constexpr auto right = select(x, 2);
// error: ashlar::select: the axis shards the first dimension, of which the operation takes one index; all_gather it, or all_to_all it to another dimension
constexpr auto wrong = select(make<float, layout<"data", none>>(m, {3, 8}), 2);
}  // namespace of_a_sharded_dimension

// The fourth of three.
namespace of_an_index_beyond {
constexpr auto right = select(x, 2);
// error: ashlar::select: the index is one of the first dimension's, counted from 0
constexpr auto wrong = select(x, 3);
}  // namespace of_an_index_beyond
