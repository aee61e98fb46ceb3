// A tensor with a halo whose cells are terms of a reduction.
// EXPECT: ashlar: this function takes no tensor with a halo; write owned\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> grid({{2, 2}});
#ifdef ASHLAR_CONTROL
using field = stale<layout<halo("p", 1)>>;
#else
using field = partial<stale<layout<halo("p", 1)>>, "q">;
#endif

constexpr auto x = make<float, field>(grid, {8});
