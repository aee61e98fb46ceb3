// Solvers take matrices.
// EXPECT: ashlar::linalg: the operand is no matrix; give a tensor of two dimensions, one of a batch at a time
// ONE ERROR
#include "ashlar/linalg/cholesky.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using L = layout<"p", none>;
#else
using L = layout<none, "p", none>;
#endif
auto factor(sharded_tensor<double, L, line> const& x) { return linalg::cholesky(x); }
