// The matrix and the right-hand side have one element type.
// EXPECT: ashlar::linalg: the matrix and the right-hand side have different element types; convert one by cast
// ONE ERROR
#include "ashlar/linalg/lu.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using T = double;
#else
using T = float;
#endif
auto solution(sharded_tensor<double, layout<"p", none>, line> const& a, sharded_tensor<T, layout<"p">, line> const& b) {
  return linalg::solve(a, b);
}
