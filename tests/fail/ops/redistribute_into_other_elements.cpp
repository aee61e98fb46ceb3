// Redistribution into a tensor of another element type.
// EXPECT: ashlar::redistribute_into: the tensors have different element types; write cast<T>\(x\) for the second one
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};

constexpr int f() {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
#ifdef ASHLAR_CONTROL
  redistribute_into(x, make<float, layout<none, "x">>(m, {4, 6}));
#else
  redistribute_into(x, make<double, layout<none, "x">>(m, {4, 6}));
#endif
  return 0;
}
constexpr int r = f();
