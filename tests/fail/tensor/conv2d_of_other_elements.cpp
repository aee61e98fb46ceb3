// Images of elements that no BLAS multiplies.
// EXPECT: ashlar::conv2d: images are of float, double or complex numbers
#include "ashlar/kernels/convolution.hpp"
#include "ashlar/tensor/backend.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

struct pair {
  float first, second;
};

auto convolve(device_mesh<grid> const& m) {
#ifdef ASHLAR_CONTROL
  using element = float;
#else
  using element = pair;
#endif
  return conv2d(make<element, layout<"data", none, none, none>>(m, {8, 6, 6, 4}),
                make<element, layout<none, none, none, none>>(m, {3, 3, 4, 2}));
}
