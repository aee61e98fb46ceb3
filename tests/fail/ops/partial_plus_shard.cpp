// A partial tensor is added to one that the same axis shards. A rank has terms of all elements of the first, and a part of the second.
// EXPECT: ashlar::elementwise: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto b = make<float, layout<"data", "model">>(m, {8, 4});
#ifdef ASHLAR_CONTROL
constexpr auto y = reduce_scatter<"model", 1>(p) + b;
#else
constexpr auto y = p + b;
#endif
