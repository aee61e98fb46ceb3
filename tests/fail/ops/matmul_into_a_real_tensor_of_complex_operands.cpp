// A complex product is not added to a real tensor. A real operand is, times a complex one, to a complex tensor.
// EXPECT: ashlar::matmul_into: an operand has another element type than the tensor; write cast<T>.x. for it
// ONE ERROR
#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
using number = std::complex<double>;
#else
using number = double;
#endif
constexpr auto updated = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<std::complex<double>, layout<"p", "q">>(m, {4, 6});
  auto c = make<number, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, b);
  return c;
}();
