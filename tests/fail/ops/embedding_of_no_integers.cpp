// Rows number 0.5 and 3.7.
// EXPECT: ashlar::embedding: indices are integers
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto t = make<float, layout<"model", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto i = make<int, layout<"data">>(m, {8});
constexpr auto y = embedding(t, i);
#else
constexpr auto i = make<float, layout<"data">>(m, {8});
constexpr auto y = embedding(t, i);
#endif
