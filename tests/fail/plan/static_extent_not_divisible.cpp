// Static extents that do not divide, where evenness is needed.
// EXPECT: ashlar::flatten: the first of the dimensions joined divides by the ranks that shard it; choose another extent
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data", 2>, axis<"model", 2>>;

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(grid{}, static_extents<6, 4>{});
#else
constexpr auto x = make<float, layout<"data", none>>(grid{}, static_extents<7, 4>{});
#endif
static_assert(flatten<0, 1>(x).extents().rank == 1);
