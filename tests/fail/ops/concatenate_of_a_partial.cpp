// A partial sum beside a tensor that is none.
// EXPECT: ashlar::concatenate: one operand is partial over an axis and another is not; all_reduce the first, or write as_partial<axis>\(other\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = concatenate<0>(x, make<float, layout<none, "y">>(m, {4, 6}));
#else
constexpr auto y = concatenate<0>(x, make<float, partial<layout<"x", none>, "y">>(m, {4, 6}));
#endif
