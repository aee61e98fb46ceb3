// An element by its index: a tensor has parts on ranks. The compiler itself refuses it, since there is no such operator.
// EXPECT: no match for 'operator\[\]'|does not provide a subscript operator
// EXPECT: no match for call to '\(|does not provide a call operator
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto f() { return all_reduce(sum(x)); }
#else
constexpr auto f() { return x[3]; }
constexpr auto g() { return x(3); }
#endif
