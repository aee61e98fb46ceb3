// The operands are matrices, or batches of matrices.
// EXPECT: ashlar::matmul_into: the operands have other numbers of dimensions than two matrices
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
  matmul_into(c, 1., a, b);
#else
  matmul_into(c, 1., a, make<double, layout<>>(m, {}));
#endif
  return c;
}();
