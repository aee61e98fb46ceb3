// The index of an argmax that no collective has reduced yet.
// EXPECT: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};
constexpr auto best = argmax<0>(make<float, layout<"x", none>>(m, {4, 6}));

#ifdef ASHLAR_CONTROL
constexpr auto y = element_index(all_reduce(best));
#else
constexpr auto y = element_index(best);
#endif
