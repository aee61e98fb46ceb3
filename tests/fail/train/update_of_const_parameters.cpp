// An optimizer given parameters that are const.
// EXPECT: ashlar::optimizer: update writes the parameters and the state, and one of them is const; take them by T&
// ONE ERROR
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

template <class P, class Optimizer>
constexpr int updated(P& p, Optimizer const& optimizer) {
  auto s = optimizer.init(p);
  optimizer.update(p, s, make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}
constexpr int f() {
  auto p = make<float, layout<none, none>>(m, {8, 4});
#ifdef ASHLAR_CONTROL
  return updated(p, adam{}) + updated(p, sgd{.momentum = 0.9}) + updated(p, rmsprop{});
#else
  auto const& q = p;
  return updated(q, sgd{.momentum = 0.9});
#endif
}
constexpr int r = f();
