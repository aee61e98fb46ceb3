// all_gather of the axis that splits a dimension first.
// EXPECT: ashlar::all_gather: no dimension is split last by the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<axes("data", "model")>>(m, {8});
constexpr auto y = all_gather<"model">(x);
#else
constexpr auto x = make<float, layout<axes("data", "model")>>(m, {8});
constexpr auto y = all_gather<"data">(x);
#endif
