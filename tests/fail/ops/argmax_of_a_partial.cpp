// argmax of a partial sum: no rank knows an element.
// EXPECT: ashlar::argmax: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none, none>, "x">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = argmax<1>(all_reduce(x));
#else
constexpr auto y = argmax<1>(x);
#endif
