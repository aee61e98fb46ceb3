// Terms of a sum have no cells of the program, and with a halo they are terms of a sum alone.
// EXPECT: ashlar::partial: cells beyond a given edge are the program's on each rank, so they are no terms of a sum; write another edge, or owned\(x\)
// EXPECT: ashlar::partial: a tensor with a halo is partial by a sum alone; write owned\(x\) for another reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> grid({{2, 2}});
#ifdef ASHLAR_CONTROL
using first = partial<stale<layout<halo("p", 1)>>, "q">;
using second = first;
#else
using first = partial<stale<layout<halo("p", 1, edge::given)>>, "q">;
using second = partial<stale<layout<halo("p", 1)>>, "q", op::max>;
#endif

constexpr auto x = make<float, first>(grid, {8});
constexpr auto y = make<float, second>(grid, {8});
