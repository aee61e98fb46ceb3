// Labels with as many dimensions as the logits.
// EXPECT: ashlar::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row is of floating-point numbers
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto l = make<int, layout<"data">>(m, {8});
constexpr auto y = softmax_cross_entropy(x, l);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto l = make<int, layout<"data", none>>(m, {8, 4});
constexpr auto y = softmax_cross_entropy(x, l);
#endif
