// An optimizer of integers, which a rate below 1 would not change.
// EXPECT: ashlar::optimizer: a parameter has integers, which a rate below 1 does not change; write cast<float>\(p\)
// ONE ERROR
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = int;
#endif
constexpr int f() {
  auto p = make<element, layout<none>>(m, {8});
  auto g = make<element, layout<none>>(m, {8});
  auto s = sgd{}.init(p);
  sgd{}.update(p, s, g);
  auto t = adam{}.init(p);
  adam{}.update(p, t, g);
  return 0;
}
constexpr int r = f();
