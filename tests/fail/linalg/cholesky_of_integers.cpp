// ScaLAPACK has four element types.
// EXPECT: ashlar::linalg: elements are float, double or complex numbers of these; convert the operand by cast<double>\(x\)
// ONE ERROR
#include "ashlar/linalg/cholesky.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using T = double;
#else
using T = int;
#endif
auto factor(sharded_tensor<T, layout<"p", none>, line> const& x) { return linalg::cholesky(x); }
