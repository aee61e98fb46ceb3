// A tensor written to a stream as a number is. The compiler itself refuses it, since there is no such operator.
// EXPECT: no match for 'operator<<'|invalid operands to binary expression
#include <ostream>
#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/draw.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};

#ifdef ASHLAR_CONTROL
void show(std::ostream& out) { draw(out, make<float, layout<"data">>(m, {8})); }
#else
void show(std::ostream& out) { out << make<float, layout<"data">>(m, {8}); }
#endif
