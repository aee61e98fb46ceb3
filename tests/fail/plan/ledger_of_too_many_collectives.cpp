// The compiler is asked for more collectives than it counts.
// EXPECT: ashlar::ledger: more than 128 collectives; ask for the collectives of a part of the program
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

#ifdef ASHLAR_CONTROL
constexpr int steps = 128;
#else
constexpr int steps = 129;
#endif
constexpr auto program = [](auto const& m) {
  auto const x = make<float, layout<"data">>(m, {4});
  for (int i = 0; i < steps; ++i) (void)all_gather<"data">(x);
};
static_assert(collectives(grid{{2}}, program).count() == steps);
