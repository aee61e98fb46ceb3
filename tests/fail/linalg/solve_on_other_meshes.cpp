// The matrix and the right-hand side are on one mesh.
// EXPECT: ashlar::linalg: the matrix and the right-hand side are on different meshes; move one by copy_to_mesh
// ONE ERROR
#include "ashlar/linalg/triangular_solve.hpp"
using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using other = line;
#else
using other = mesh<axis<"p">, axis<"q">>;
#endif
auto solution(sharded_tensor<double, layout<"p", none>, line> const& a,
              sharded_tensor<double, layout<"p">, other> const& b) {
  return linalg::triangular_solve(a, b);
}
