// The dimension as an argument of the function, as in NumPy and PyTorch, or no dimension where one must be named.
// EXPECT: ashlar::sum: dimensions are template arguments; write sum<0>\(x\), or sum<0>\(x, keep_dims\)
// EXPECT: ashlar::mean: dimensions are template arguments; write mean<0>\(x\), or mean<0>\(x, keep_dims\)
// EXPECT: ashlar::max: dimensions are template arguments; write max<0>\(x\), or maximum\(x, y\) of two tensors
// EXPECT: ashlar::min: dimensions are template arguments; write min<0>\(x\), or minimum\(x, y\) of two tensors
// EXPECT: ashlar::argmax: dimensions are template arguments; write argmax<0>\(x\)
// EXPECT: ashlar::argmin: dimensions are template arguments; write argmin<0>\(x\)
// EXPECT: ashlar::softmax: it acts on the last dimension; write softmax\(x\), and transpose x first for another dimension
// EXPECT: ashlar::log_softmax: it acts on the last dimension; write log_softmax\(x\), and transpose x first for another dimension
// EXPECT: ashlar::cumsum: the dimension is a template argument; write cumsum<0>\(x\)
// EXPECT: ashlar::sort: the dimension is a template argument; write sort<0>\(x\)
// EXPECT: ashlar::top_k: the dimension is a template argument; write top_k<0>\(x, k\)
// EXPECT: ashlar::take_along: the dimension is a template argument; write take_along<0>\(x, index\)
// EXPECT: ashlar::concatenate: the dimension is a template argument; write concatenate<0>\(x, y\)
// EXPECT: ashlar::shift: the dimension is a template argument; write shift<0>\(x, n\)
// EXPECT: ashlar::roll: the axis is a template argument; write roll<\\?"axis\\?">\(x, by\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto places = make<int, layout<"data", none>>(m, {8, 1});

#ifdef ASHLAR_CONTROL
constexpr auto total = sum<1>(x);
constexpr auto average = mean<1>(x, keep_dims);
constexpr auto largest = max<1>(x);
constexpr auto smallest = minimum(x, x);
constexpr auto place_of_largest = argmax<1>(x);
constexpr auto place_of_smallest = argmin<1>(x);
constexpr auto shares = softmax(x);
constexpr auto logarithms = log_softmax(x);
constexpr auto sums = cumsum<1>(x);
constexpr auto sorted = sort<1>(x);
constexpr auto two = top_k<1>(x, 2);
constexpr auto taken = take_along<1>(x, places);
constexpr auto both = concatenate<1>(x, x);
constexpr auto shifted = shift<0>(x, 1);
constexpr auto rolled = roll<"data">(x, 1);
#else
constexpr auto total = sum(x, 1);
constexpr auto average = mean(x, 1);
constexpr auto largest = max(x, 1);
constexpr auto smallest = min(x, 1);
constexpr auto place_of_largest = argmax(x, 1);
constexpr auto place_of_smallest = argmin(x, 1);
constexpr auto shares = softmax(x, 1);
constexpr auto logarithms = log_softmax(x, -1);
constexpr auto sums = cumsum(x, 1);
constexpr auto sorted = sort(x);
constexpr auto two = top_k(x, 2);
constexpr auto taken = take_along(x, places, 1);
constexpr auto both = concatenate(x, x);
constexpr auto shifted = shift(x, 1, 0);
constexpr auto rolled = roll(x, 1);
#endif
