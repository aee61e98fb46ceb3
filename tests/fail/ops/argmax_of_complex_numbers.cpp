// argmax of elements without an order.
// EXPECT: ashlar::argmax: elements of this type have no order; write argmax\(abs\(x\)\) or argmax\(real\(x\)\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
struct number {
  float real, imaginary;
};
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = argmax<1>(make<float, layout<"x", none>>(m, {4, 6}));
#else
constexpr auto y = argmax<1>(make<number, layout<"x", none>>(m, {4, 6}));
#endif
