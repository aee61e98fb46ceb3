// Functions of elements of the wrong type.
// EXPECT: ashlar::where: the operands have different element types; write cast<T>\(x\) for one of them
// EXPECT: ashlar::element_value: the elements are no pairs of value and index; write element_value\(argmax\(x\)\)
// EXPECT: ashlar::redistribute_into: elements of this type cannot be combined by the layout
// EXPECT: ashlar::sort: elements of this type have no order; sort their absolute values or their parts
// EXPECT: ashlar::full: the layout is partial, and each rank would hold the whole value; make the layout without it
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

struct pair {
  float first, second;
};
#ifdef ASHLAR_CONTROL
using element = float;
using full_layout = replicated<1>;
#else
using element = pair;
using full_layout = partial<replicated<1>, "data">;
#endif
constexpr auto x = make<float, layout<"data">>(m, {8});
constexpr auto whole = make<float, replicated<1>>(m, {8});

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)where(x < 1.f, x, x);
  (void)element_value(argmax(whole));
#else
  (void)where(x < 1.f, x, make<double, layout<"data">>(m, {8}));
  (void)element_value(whole);
#endif
  auto y = make<element, replicated<1>>(m, {8});
  redistribute_into(y, make<element, partial<replicated<1>, "data", op::max>>(m, {8}));
  (void)sort<0>(y);
  (void)full<float, full_layout>(m, {8}, 1.f);
};
