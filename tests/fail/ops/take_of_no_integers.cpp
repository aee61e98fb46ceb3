// An index of real numbers, and a mask in place of an index.
// EXPECT: ashlar::take: the elements of the index are no integers; write cast<int>\(index\)
// EXPECT: ashlar::scatter_add: the elements of the index are no integers; write cast<int>\(index\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto table = make<float, layout<"model", none>>(m, {8, 4});
constexpr auto rows = make<float, layout<"data", none>>(m, {6, 4});
constexpr auto number = make<float, layout<"data">>(m, {6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take(table, cast<int>(number));
constexpr auto sums = scatter_add(rows, cast<std::int64_t>(number), table);
#else
constexpr auto y = take(table, number);
constexpr auto sums = scatter_add(rows, number > 0.f, table);
#endif
