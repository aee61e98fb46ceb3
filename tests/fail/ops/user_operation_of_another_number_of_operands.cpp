// An operation of the user on one operand, whose equation has two.
// EXPECT: ashlar::user_operation: the equation names another number of operands than are given; separate them by commas
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

struct product : user_operation<"b,c->bc", "", linearity::multilinear> {};
constexpr auto whole = make<float, replicated<1>>(m, {8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)apply(product{}, whole, whole);
#else
  (void)apply(product{}, whole);
#endif
};
