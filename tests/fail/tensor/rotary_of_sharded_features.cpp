// The example's operation on features of which each rank has a piece.
// EXPECT: rotary: the axis shards the features, which are turned in pairs; all_gather them, or shard heads or positions
#include "../../../examples/support/rotary.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"seq">>;
constexpr grid m{{2, 2}};
#ifdef ASHLAR_CONTROL
constexpr auto y = apply(rope::rotary{}, make<double, layout<"data", "seq", none>>(m, {4, 10, 6}));
#else
constexpr auto y = apply(rope::rotary{}, make<double, layout<"data", none, "seq">>(m, {4, 10, 6}));
#endif
