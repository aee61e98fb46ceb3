#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// An all_to_all that leaves its axes and its dimension open.
namespace without_an_axis {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = all_to_all<"data", 1>(x);
// error: ashlar::all_to_all: name the axes and the dimension that they are to shard; write all_to_all<"axis", 0>(x)
constexpr auto wrong = all_to_all(x);
}  // namespace without_an_axis

// An all_to_all of terms of sums.
namespace of_a_partial {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto s = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
constexpr auto right = reduce_scatter<"data", 0>(s);
// error: ashlar::all_to_all: the tensor is partial over the axis, so each rank has a term of sums and no part of a dimension; write reduce_scatter<axis, Dim>(x)
constexpr auto wrong = all_to_all<"data", 0>(s);
}  // namespace of_a_partial
