// Dimensions that the tensors do not have, or have once.
// EXPECT: ashlar::concatenate: the tensor has no such dimension; they count from 0
// EXPECT: ashlar::fftshift: the tensor has no such dimension; they count from 0
// EXPECT: ashlar::take_along: the tensor has no such dimension; they count from 0
// EXPECT: ashlar::argmax: a dimension is named twice; name each once
#include "ashlar/ops/fftshift.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto x = make<float, layout<"data", none, none>>(m, {8, 4, 4});
constexpr auto i = make<int, layout<"data", none, none>>(m, {8, 4, 4});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)concatenate<2>(x, x);
  (void)fftshift<2>(x);
  (void)take_along<2>(x, i);
  (void)argmax<1, 2>(x);
#else
  (void)concatenate<3>(x, x);
  (void)fftshift<3>(x);
  (void)take_along<3>(x, i);
  (void)argmax<1, 1>(x);
#endif
};
