// The operands have the element type of the tensor.
// EXPECT: ashlar::matmul_into: an operand has another element type than the tensor; write cast<T>.x. for it
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

constexpr auto updated = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
#ifdef ASHLAR_CONTROL
  matmul_into(c, 1., a, cast<double>(cast<float>(b)));
#else
  matmul_into(c, 1., a, cast<float>(b));
#endif
  return c;
}();
