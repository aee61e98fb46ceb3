// An update of an expression, which has no memory.
// EXPECT: ashlar::assign: an expression has no memory of its own
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;

void step(sharded_tensor<float, layout<"data">> const& x) {
#ifdef ASHLAR_CONTROL
  auto y = (2.f * x).evaluate();
#else
  auto y = 2.f * x;
#endif
  y += 1.f;
}
