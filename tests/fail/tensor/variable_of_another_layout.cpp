// A variable that begins as a tensor of another layout, of other elements, and with a halo.
// EXPECT: ashlar::sharded_tensor: a variable keeps its layout, mesh and element type, and the assigned tensor has others; write auto y = x, or redistribute<L>\(x\)
// EXPECT: ashlar::sharded_tensor: a variable keeps its layout and the state of its halo, and the assigned tensor has others; make the variable stale<H>, or write exchange_halo\(x\)
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1)>;
template <class L>
using tensor_of = sharded_tensor<double, L, line>;

#ifdef ASHLAR_CONTROL
void columns(tensor_of<layout<"x", none>> const& x) {
  tensor_of<layout<none, "x">> y = redistribute<layout<none, "x">>(x);
}
void step(tensor_of<stale<field>> const& v) { tensor_of<field> u = exchange_halo(v); }
#else
void columns(tensor_of<layout<"x", none>> const& x) { tensor_of<layout<none, "x">> y = x; }
void step(tensor_of<stale<field>> const& v) { tensor_of<field> u = v; }
#endif
