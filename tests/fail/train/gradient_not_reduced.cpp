// An optimizer given gradients that are still partial over the data axis.
// EXPECT: ashlar::optimizer: a gradient has another layout than its parameter
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr int f() {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto g = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
  auto s = adam{}.init(p);
  adam{}.update(p, s, all_reduce<"data">(g));
  return 0;
}
constexpr int r = f();
#else
constexpr int f() {
  auto p = make<float, layout<none, none>>(m, {8, 4});
  auto g = make<float, partial<layout<none, none>, "data">>(m, {8, 4});
  auto s = adam{}.init(p);
  adam{}.update(p, s, g);
  return 0;
}
constexpr int r = f();
#endif
