// A sum of bool, which would not count.
// EXPECT: ashlar::redistribute: elements of this type cannot be combined by the layout's reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_reduce(sum(cast<int>(x > 0.f)));
#else
constexpr auto y = all_reduce(sum(x > 0.f));
#endif
