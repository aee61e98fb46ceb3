// A seed in place of a key.
// EXPECT: ashlar::uniform: random numbers come from a key; write prng_key\{1\}
// EXPECT: ashlar::normal: random numbers come from a key; write prng_key\{1\}
#include "ashlar/ops/ops.hpp"
#include "ashlar/ops/random.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto u = uniform<float, layout<"data">>(m, {8}, {42});
constexpr auto g = normal<float, layout<"data">>(m, {8}, prng_key{42});
#else
constexpr auto u = uniform<float, layout<"data">>(m, {8}, 42);
constexpr auto g = normal<float, layout<"data">>(m, {8}, 42u, 0.f, 2.f);
#endif
