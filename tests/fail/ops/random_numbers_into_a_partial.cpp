// Random numbers drawn into a layout in which the result is partial.
// EXPECT: ashlar::random: the layout is partial
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = uniform<float, layout<"data">>(m, {8}, prng_key{1});
#else
constexpr auto x = uniform<float, partial<layout<none>, "data">>(m, {8}, prng_key{1});
#endif
