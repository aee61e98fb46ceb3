// A comparison of tensors has an answer for each element; the compiler itself refuses it as a condition.
// EXPECT: could not convert .* to 'bool'|is not contextually convertible to 'bool'
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
// 1 on every rank if an element is positive: item(...) == 1 on real ranks.
constexpr auto f() { return all_reduce(max(where(x > 0.f, 1, 0))); }
#else
constexpr int f() { return x > 0.f ? 1 : 0; }
#endif
