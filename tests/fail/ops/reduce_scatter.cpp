#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// reduce_scatter into a dimension that the tensor does not have.
namespace into_no_dimension {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto right = reduce_scatter<"model", 1>(p);
// error: ashlar::reduce_scatter: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = reduce_scatter<"model", 2>(p);
}  // namespace into_no_dimension

// A reduce_scatter that leaves its axes and its dimension open.
namespace without_an_axis {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
constexpr auto right = reduce_scatter<"data", 0>(x);
// error: ashlar::reduce_scatter: name the axes and the dimension that they are to shard; write reduce_scatter<"axis", 0>(x)
constexpr auto wrong = reduce_scatter(x);
}  // namespace without_an_axis
