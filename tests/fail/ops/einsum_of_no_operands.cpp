// An einsum of no tensor, and one of five.
// EXPECT: ashlar::einsum: it takes one to four operands; contract more of them pair by pair
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto v = make<float, replicated<1>>(m, {8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)einsum<"i,i,i,i->i">(v, v, v, v);
#else
  (void)einsum<"i,i,i,i->i">();
  (void)einsum<"i,i,i,i->i">(v, v, v, v, v);
#endif
};
