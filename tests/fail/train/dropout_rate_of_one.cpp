// A dropout rate of 1, in a constant expression.
// EXPECT: ashlar::dropout: the rate is at least 0 and less than 1
#include "ashlar/ops/random.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = dropout(make<float, layout<"data">>(m, {8}), 0.5f, prng_key{1});
#else
constexpr auto x = dropout(make<float, layout<"data">>(m, {8}), 1.f, prng_key{1});
#endif
