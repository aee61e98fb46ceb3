// An equation with half an arrow.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = elementwise<"ij,i->ij">(ops_detail::fn::multiply{}, a, b);
#else
constexpr auto y = elementwise<"ij,i>ij">(ops_detail::fn::multiply{}, a, b);
#endif
