// Queries whose heads are not cut out.
// EXPECT: ashlar::attention: queries, keys and values have four dimensions
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto q = make<float, layout<"data", none, "model", none>>(m, {4, 6, 2, 8});
constexpr auto y = attention(q, q, q);
#else
constexpr auto q = make<float, layout<"data", none, none>>(m, {4, 6, 16});
constexpr auto y = attention(q, q, q);
#endif
