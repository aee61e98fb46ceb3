// ScaLAPACK has block-cyclic matrices.
// EXPECT: ashlar::scalapack_descriptor: the layout is not block-cyclic; redistribute to linalg::block_cyclic_t<Layout>
// ONE ERROR
#include "ashlar/linalg/descriptor.hpp"
using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;

#ifdef ASHLAR_CONTROL
using L = linalg::block_cyclic_t<layout<"p", "q">>;
#else
using L = layout<"p", "q">;
#endif
auto describe(sharded_tensor<double, L, grid> const& x) { return scalapack_descriptor(x); }
