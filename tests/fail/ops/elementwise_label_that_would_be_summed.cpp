// EXPECT: ashlar::elementwise: a label that the result lacks would be summed
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr equation labels = "ij,i->ij";
#else
constexpr equation labels = "ij,i->i";
#endif
constexpr auto y = elementwise<labels>(ops_detail::fn::multiply{}, make<float, layout<"data", "model">>(m, {8, 4}),
                                       make<float, layout<"data">>(m, {8}));
