#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/linalg/lu.hpp"
#include "ashlar/linalg/triangular_solve.hpp"

using namespace ashlar;
using line = mesh<axis<"p">>;

// A right-hand side has one or two dimensions.
namespace solve_for_a_batch {
auto right(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p", none>, line> const& b) {
  return linalg::lu(a).solve(b);
}
// error: ashlar::linalg: a right-hand side is a vector or a matrix; give a tensor of one or two dimensions
auto wrong(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p", none, none>, line> const& b) {
  return linalg::lu(a).solve(b);
}
}  // namespace solve_for_a_batch

// The matrix and the right-hand side are on one mesh.
namespace on_other_meshes {
auto right(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return linalg::triangular_solve(a, b);
}
// error: ashlar::linalg: the matrix and the right-hand side are on different meshes; move one by copy_to_mesh
auto wrong(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, mesh<axis<"p">, axis<"q">>> const& b) {
  return linalg::triangular_solve(a, b);
}
}  // namespace on_other_meshes

// Solvers have no derivative, by the right-hand side either.
namespace solve_under_differentiation {
auto right(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return value_and_grad<"p">([&](auto const& y) {
    (void)linalg::solve(a, stop_gradient(y));
    return sum(y);
  })(b);
}
// error: ashlar::linalg: solvers have no derivative; give the plain right-hand side, by stop_gradient(x)
auto wrong(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return value_and_grad<"p">([&](auto const& y) {
    (void)linalg::solve(a, y);
    return sum(y);
  })(b);
}
}  // namespace solve_under_differentiation

// The matrix and the right-hand side have one element type.
namespace with_other_elements {
auto right(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return linalg::solve(a, b);
}
// error: ashlar::linalg: the matrix and the right-hand side have different element types; convert one by cast
auto wrong(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<float, layout<"p">, line> const& b) {
  return linalg::solve(a, b);
}
}  // namespace with_other_elements

// Factors of a batch, which solve nothing.
namespace solve_by_factors_of_a_batch {
auto right(sharded_tensor<double, layout<"p", none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return linalg::lu(a).solve(b);
}
// error: ashlar::linalg: the operand is no matrix; give a tensor of two dimensions, one of a batch at a time
auto wrong(sharded_tensor<double, layout<"p", none, none>, line> const& a,
           sharded_tensor<double, layout<"p">, line> const& b) {
  return linalg::lu(a).solve(b);
}
}  // namespace solve_by_factors_of_a_batch
