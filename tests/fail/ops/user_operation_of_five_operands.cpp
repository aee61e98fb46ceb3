// A user's operation of five tensors.
// EXPECT: ashlar::equation: more than four operands
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using product = user_operation<"a,b,c,d->abcd">;
#else
using product = user_operation<"a,b,c,d,e->abcde">;
#endif
constexpr auto operands = product::eq.operands;
