// Rows that are sharded otherwise than their index.
// EXPECT: ashlar::scatter_add: the axis shards the index otherwise than the rows; redistribute one of them
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto i = make<int, layout<"data">>(m, {8});
#ifdef ASHLAR_CONTROL
constexpr auto rows = make<float, layout<"data", none>>(m, {8, 4});
#else
constexpr auto rows = make<float, layout<none, none>>(m, {8, 4});
#endif
constexpr auto table = make<float, layout<none, none>>(m, {16, 4});
constexpr auto y = scatter_add(rows, i, table);
