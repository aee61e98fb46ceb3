// Solvers have no derivative.
// EXPECT: ashlar::linalg: solvers have no derivative; give the plain tensor, by stop_gradient\(x\)
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/linalg/cholesky.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

auto slope(sharded_tensor<double, layout<"p", none>, line> const& x) {
  return value_and_grad<"p">([](auto const& y) {
#ifdef ASHLAR_CONTROL
    (void)linalg::cholesky(stop_gradient(y));
#else
    (void)linalg::cholesky(y);
#endif
    return sum(y);
  })(x);
}
