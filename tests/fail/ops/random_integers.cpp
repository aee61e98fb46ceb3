// Random integers in a dry run. Real ranks refuse them by the same sentence.
// EXPECT: ashlar::random: numbers are drawn as float or double; draw float, and write cast<T>\(x\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
constexpr line m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto dice = cast<int>(6.f * uniform<float, layout<"x">>(m, {8}, prng_key{1}));
constexpr auto errors = cast<int>(normal<float, layout<"x">>(m, {8}, prng_key{1}));
#else
constexpr auto dice = uniform<int, layout<"x">>(m, {8}, prng_key{1}, 0, 6);
constexpr auto errors = normal<int, layout<"x">>(m, {8}, prng_key{1});
#endif
