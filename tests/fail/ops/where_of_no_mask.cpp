// A choice by numbers that are 0 or 1.
// EXPECT: ashlar::where: the elements of the mask are not of type bool
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<int, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = where(x != 0, x, -x);
#else
constexpr auto y = where(x, x, -x);
#endif
