// A mask assigned to a tensor of numbers.
// EXPECT: ashlar::assign: the value has another element type than the tensor
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

constexpr auto updated = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
#ifdef ASHLAR_CONTROL
  assign(x, cast<float>(x > 0.f));
#else
  assign(x, x > 0.f);
#endif
  return x;
}();
