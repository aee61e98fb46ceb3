// Labels with as many dimensions as the logits.
// EXPECT: ashlar::top_k_count: labels have one dimension less
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto l = make<int, layout<"data">>(m, {8});
#else
constexpr auto l = make<int, layout<"data", none>>(m, {8, 4});
#endif
constexpr auto y = top_k_count(x, l, 5);
