#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;

// Queries whose heads are not cut out.
namespace without_heads {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
namespace right {
constexpr auto q = make<float, layout<"data", none, "model", none>>(m, {4, 6, 2, 8});
constexpr auto y = attention(q, q, q);
}  // namespace right
// error: ashlar::nn::attention: queries, keys and values have four dimensions, (batch, positions, heads, numbers); cut the heads out by unflatten
namespace wrong {
constexpr auto q = make<float, layout<"data", none, none>>(m, {4, 6, 16});
constexpr auto y = attention(q, q, q);
}  // namespace wrong
}  // namespace without_heads
