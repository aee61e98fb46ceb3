// Labels have as many dimensions as logits, as a distribution for each row has, and weights follow them.
// EXPECT: ashlar::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row takes no weights beside it
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

constexpr auto logits = make<float, layout<"data", none>>(m, {8, 10});
constexpr auto weights = make<float, layout<"data">>(m, {8});
#ifdef ASHLAR_CONTROL
constexpr auto labels = make<int, layout<"data">>(m, {8});
#else
constexpr auto labels = make<int, layout<"data", none>>(m, {8, 10});
#endif
constexpr auto y = softmax_cross_entropy(logits, labels, weights);
