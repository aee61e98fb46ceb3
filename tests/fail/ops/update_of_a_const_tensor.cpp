// An update of a tensor that the function took as const.
// EXPECT: ashlar::assign: the tensor is const; take it by T&
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto step = [](auto& x) { x += 1.f; };
#else
constexpr auto step = [](auto const& x) { x += 1.f; };
#endif
constexpr auto updated = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
  step(x);
  return x;
}();
