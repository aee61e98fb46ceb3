// The loss from labels reads all classes of a row. sharded_cross_entropy takes classes that an axis shards.
// EXPECT: ashlar::softmax_cross_entropy: the axis shards the classes, which the loss reads as a whole; write sharded_cross_entropy\(logits, labels\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto z = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto labels = make<int, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto l = sharded_cross_entropy(z, labels);
#else
constexpr auto l = softmax_cross_entropy(z, labels);
#endif
