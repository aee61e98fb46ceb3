// A function of new elements that needs all of them before its reduction.
// EXPECT: ashlar::assign_and_reduce: the function reads the new elements in one reduction, such as sum\(x \* x\), and in elementwise operations below it
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

auto step(sharded_tensor<float, layout<"data", none>, grid>& x) {
#ifdef ASHLAR_CONTROL
  assign(x, 2.f * x);
  return sum(softmax(x));
#else
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(softmax(next)); });
#endif
}
