#include "ashlar/linalg/descriptor.hpp"

using namespace ashlar;
using namespace ashlar::linalg;
using grid = mesh<axis<"p">, axis<"q">>;

// ScaLAPACK has block-cyclic matrices.
namespace of_an_even_split {
auto right(sharded_tensor<double, linalg::block_cyclic_t<layout<"p", "q">>, grid> const& x) {
  return linalg::scalapack_descriptor(x);
}
// error: ashlar::linalg::scalapack_descriptor: the layout is not block-cyclic; redistribute to linalg::block_cyclic_t<Layout>
auto wrong(sharded_tensor<double, layout<"p", "q">, grid> const& x) { return linalg::scalapack_descriptor(x); }
}  // namespace of_an_even_split
