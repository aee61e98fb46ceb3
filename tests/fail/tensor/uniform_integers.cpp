// Random integers by the function of random numbers in an interval.
// EXPECT: ashlar::random: numbers are drawn as float or double; draw float, and write cast<T>\(x\)
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
auto drawn(device_mesh<line> const& m) { return cast<int>(6.f * uniform<float, layout<"x">>(m, {8}, prng_key{1})); }
#else
auto drawn(device_mesh<line> const& m) { return uniform<int, layout<"x">>(m, {8}, prng_key{1}); }
#endif
