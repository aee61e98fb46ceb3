// The transform of a maximum that is not reduced yet: it is no maximum of transforms.
// EXPECT: ashlar::fft: the tensor is partial over the axis by a reduction that is no sum; all_reduce or reduce_scatter it first
// ONE ERROR
#include "ashlar/ops/fft.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<double, partial<layout<none>, "data", op::max>>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = fft<0>(all_reduce<"data">(x));
#else
constexpr auto y = fft<0>(x);
#endif
