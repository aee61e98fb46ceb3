// Indices, counts and numbers of places that are no integers.
// EXPECT: ashlar::index_t: an index, a count or a number of places is an integer; write static_cast<index_t>\(n\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<none, "data">>(m, {3, 8});
constexpr auto y = make<float, layout<"data", none>>(m, {8, 6});
constexpr auto labels = make<int, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
#define WRONG(wrong, right) right
#else
#define WRONG(wrong, right) wrong
#endif

enum places { left, right };
constexpr auto selected = select(x, WRONG(1.5, 1));
constexpr auto rolled = roll<"data">(x, WRONG(2.f, right));
constexpr auto begun = roll_async<"data">(x, WRONG(-1., -1));
constexpr auto shifted = shift<0>(x, WRONG(0.5, 1u));
constexpr auto shifted_with_a_value = shift<0>(x, WRONG(1.L, short(1)), 2.f);
constexpr auto largest = top_k<1>(y, WRONG(3., std::size_t(3)));
constexpr auto counted = top_k_count(y, labels, WRONG(3.f, 3));
