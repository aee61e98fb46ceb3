// The compiler is asked for more different collectives than it counts.
// EXPECT: ashlar::ledger: more than 512 different collectives; ask for the collectives of a part of the program
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

#ifdef ASHLAR_CONTROL
constexpr int steps = 512;
#else
constexpr int steps = 513;
#endif
constexpr auto program = [](auto const& m) {
  for (int i = 0; i < steps; ++i) (void)all_gather<"data">(make<float, layout<"data">>(m, {2 * (i + 1)}));
};
static_assert(collectives(grid{{2}}, program).count() == steps);
