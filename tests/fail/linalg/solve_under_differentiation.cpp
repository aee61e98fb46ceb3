// Solvers have no derivative, by the right-hand side either.
// EXPECT: ashlar::linalg: solvers have no derivative; give the plain right-hand side, by stop_gradient\(x\)
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/linalg/lu.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

auto slope(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return value_and_grad<"p">([&](auto const& y) {
#ifdef ASHLAR_CONTROL
    (void)linalg::solve(a, stop_gradient(y));
#else
    (void)linalg::solve(a, y);
#endif
    return sum(y);
  })(b);
}
