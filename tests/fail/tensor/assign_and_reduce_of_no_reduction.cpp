// A function of new elements that gives all of them.
// EXPECT: ashlar::assign_and_reduce: the function gives one reduction of the new elements
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

auto step(sharded_tensor<float, layout<"data">, grid>& x) {
#ifdef ASHLAR_CONTROL
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(next * next); });
#else
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return next * next; });
#endif
}
