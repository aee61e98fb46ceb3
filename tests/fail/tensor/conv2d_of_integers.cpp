// Images of bytes, which no BLAS multiplies.
// EXPECT: ashlar::conv2d: the elements are integers; write cast<double>\(x\)
#include "ashlar/kernels/convolution.hpp"
#include "ashlar/tensor/backend.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

auto convolve(device_mesh<grid> const& m) {
#ifdef ASHLAR_CONTROL
  using element = float;
#else
  using element = int;
#endif
  return conv2d(make<element, layout<"data", none, none, none>>(m, {8, 6, 6, 4}),
                make<element, layout<none, none, none, none>>(m, {3, 3, 4, 2}));
}
