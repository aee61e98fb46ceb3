#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::transforms;

// The dimension as an argument of the function, as in NumPy and PyTorch, or no dimension where one must be named.
namespace dimension_as_an_argument {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto places = make<int, layout<"data", none>>(m, {8, 1});
namespace right {
constexpr auto total = sum<1>(x);
constexpr auto average = mean<1>(x, keep_dims);
constexpr auto largest = max<1>(x);
constexpr auto smallest = minimum(x, x);
constexpr auto place_of_largest = argmax<1>(x);
constexpr auto place_of_smallest = argmin<1>(x);
constexpr auto shares = softmax<1>(x);
constexpr auto logarithms = log_softmax(x);
constexpr auto sums = cumsum<1>(x);
constexpr auto sorted = sort<1>(x);
constexpr auto two = top_k<1>(x, 2);
constexpr auto taken = take_along<1>(x, places);
constexpr auto both = concatenate<1>(x, x);
constexpr auto shifted = shift<0>(x, 1);
constexpr auto rolled = roll<0>(x, 1);
}  // namespace right
namespace wrong {
// error: ashlar::sum: dimensions are template arguments; write sum<0>(x), or sum<0>(x, keep_dims)
constexpr auto total = sum(x, 1);
// error: ashlar::mean: dimensions are template arguments; write mean<0>(x), or mean<0>(x, keep_dims)
constexpr auto average = mean(x, 1);
// error: ashlar::max: dimensions are template arguments; write max<0>(x), or maximum(x, y) of two tensors or a number
constexpr auto largest = max(x, 1);
// error: ashlar::min: dimensions are template arguments; write min<0>(x), or minimum(x, y) of two tensors or a number
constexpr auto smallest = min(x, 1);
// error: ashlar::argmax: dimensions are template arguments; write argmax<0>(x)
constexpr auto place_of_largest = argmax(x, 1);
// error: ashlar::argmin: dimensions are template arguments; write argmin<0>(x)
constexpr auto place_of_smallest = argmin(x, 1);
// error: ashlar::softmax: the dimension is a template argument; write softmax<0>(x), or softmax(x) for the last one
constexpr auto shares = softmax(x, 1);
// error: ashlar::log_softmax: the dimension is a template argument; write log_softmax<0>(x), or log_softmax(x) for the last one
constexpr auto logarithms = log_softmax(x, -1);
// error: ashlar::cumsum: the dimension is a template argument; write cumsum<0>(x)
constexpr auto sums = cumsum(x, 1);
// error: ashlar::sort: the dimension is a template argument; write sort<0>(x)
constexpr auto sorted = sort(x);
// error: ashlar::top_k: the dimension is a template argument; write top_k<0>(x, k)
constexpr auto two = top_k(x, 2);
// error: ashlar::take_along: the dimension is a template argument; write take_along<0>(x, index)
constexpr auto taken = take_along(x, places, 1);
// error: ashlar::concatenate: the dimension is a template argument; write concatenate<0>(x, y)
constexpr auto both = concatenate(x, x);
// error: ashlar::shift: the dimension is a template argument; write shift<0>(x, n)
constexpr auto shifted = shift(x, 1, 0);
// error: ashlar::roll: the dimension is a template argument; write roll<0>(x, by)
constexpr auto rolled = roll(x, 1);
}  // namespace wrong
}  // namespace dimension_as_an_argument

// Dimensions that the tensors do not have, or have once.
namespace dimensions_that_are_not_there {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none>>(m, {8, 4, 4});
constexpr auto i = make<int, layout<"data", none, none>>(m, {8, 4, 4});
constexpr auto right = [] {
  (void)concatenate<-1>(x, x);
  (void)fftshift<2>(x);
  (void)take_along<2>(x, i);
  (void)argmax<1, -1>(x);
};
constexpr auto wrong = [] {
  // error: ashlar::concatenate: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)concatenate<3>(x, x);
  // error: ashlar::roll: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)fftshift<3>(x);
  // error: ashlar::take_along: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)take_along<3>(x, i);
  // error: ashlar::argmax: a dimension is named twice; name each once
  (void)argmax<1, -2>(x);
};
}  // namespace dimensions_that_are_not_there
