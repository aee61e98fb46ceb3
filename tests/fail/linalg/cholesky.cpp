#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/linalg/cholesky.hpp"

using namespace ashlar;
using line = mesh<axis<"p">>;

// Solvers take matrices.
namespace of_a_batch {
auto right(sharded_tensor<double, layout<"p", none>, line> const& x) { return linalg::cholesky(x); }
// error: ashlar::linalg: the operand is no matrix; give a tensor of two dimensions, one of a batch at a time
auto wrong(sharded_tensor<double, layout<none, "p", none>, line> const& x) { return linalg::cholesky(x); }
}  // namespace of_a_batch

// ScaLAPACK has four element types.
namespace of_integers {
auto right(sharded_tensor<double, layout<"p", none>, line> const& x) { return linalg::cholesky(x); }
// error: ashlar::linalg: elements are float, double or complex numbers of these; convert the operand by cast<double>(x)
auto wrong(sharded_tensor<int, layout<"p", none>, line> const& x) { return linalg::cholesky(x); }
}  // namespace of_integers

// Solvers have no derivative.
namespace cholesky_under_differentiation {
auto right(sharded_tensor<double, layout<"p", none>, line> const& x) {
  return value_and_grad<"p">([](auto const& y) {
    (void)linalg::cholesky(stop_gradient(y));
    return sum(y);
  })(x);
}
// error: ashlar::linalg: solvers have no derivative; give the plain tensor, by stop_gradient(x)
auto wrong(sharded_tensor<double, layout<"p", none>, line> const& x) {
  return value_and_grad<"p">([](auto const& y) {
    (void)linalg::cholesky(y);
    return sum(y);
  })(x);
}
}  // namespace cholesky_under_differentiation
