// The dimension of a reduction as an argument of the function, as in NumPy and PyTorch.
// EXPECT: ashlar::sum: dimensions are template arguments; write sum<0>\(x\), or sum<0>\(x, keep_dims\)
// EXPECT: ashlar::mean: dimensions are template arguments; write mean<0>\(x\), or mean<0>\(x, keep_dims\)
// EXPECT: ashlar::max: dimensions are template arguments; write max<0>\(x\), or maximum\(x, y\) of two tensors
// EXPECT: ashlar::min: dimensions are template arguments; write min<0>\(x\), or minimum\(x, y\) of two tensors
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto total = sum<1>(x);
constexpr auto average = mean<1>(x, keep_dims);
constexpr auto largest = max<1>(x);
constexpr auto smallest = minimum(x, x);
#else
constexpr auto total = sum(x, 1);
constexpr auto average = mean(x, 1);
constexpr auto largest = max(x, 1);
constexpr auto smallest = min(x, 1);
#endif
