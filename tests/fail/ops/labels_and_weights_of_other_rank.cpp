// Labels and weights with a dimension too many.
// EXPECT: ashlar::softmax_cross_entropy: weights have one dimension less than logits, one weight per row
// EXPECT: ashlar::accuracy_count: labels have one dimension less than logits, one label per row
// EXPECT: ashlar::sharded_cross_entropy: labels have one dimension less than logits, one label per row
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto logits = make<float, layout<"data", none>>(m, {8, 3});
constexpr auto labels = make<std::int32_t, layout<"data">>(m, {8});
#ifdef ASHLAR_CONTROL
constexpr auto weights = make<float, layout<"data">>(m, {8});
constexpr auto classes = labels;
#else
constexpr auto weights = make<float, layout<"data", none>>(m, {8, 1});
constexpr auto classes = make<std::int32_t, layout<"data", none>>(m, {8, 1});
#endif

constexpr auto program = [] {
  (void)softmax_cross_entropy(logits, labels, weights);
  (void)accuracy_count(logits, classes);
  (void)sharded_cross_entropy(logits, classes);
};
