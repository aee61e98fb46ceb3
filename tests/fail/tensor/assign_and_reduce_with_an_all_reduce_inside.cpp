// A function of new elements that also communicates.
// EXPECT: ashlar::assign_and_reduce: the function returns its reduction as it is; do all else, such as all_reduce, with the result
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

auto step(sharded_tensor<float, layout<"data">, grid>& x) {
#ifdef ASHLAR_CONTROL
  return all_reduce(assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(next * next); }));
#else
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return all_reduce(sum(next * next)); });
#endif
}
