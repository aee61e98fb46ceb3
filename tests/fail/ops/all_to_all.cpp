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
