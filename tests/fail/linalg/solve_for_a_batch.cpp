// A right-hand side has one or two dimensions.
// EXPECT: ashlar::linalg: a right-hand side is a vector or a matrix; give a tensor of one or two dimensions
// ONE ERROR
#include "ashlar/linalg/lu.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using L = layout<"p", none>;
#else
using L = layout<"p", none, none>;
#endif
auto solution(sharded_tensor<double, layout<"p", none>, line> const& a, sharded_tensor<double, L, line> const& b) {
  return linalg::lu(a).solve(b);
}
