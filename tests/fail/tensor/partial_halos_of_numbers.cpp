// Each rank would generate the whole value, and print has no sum.
// EXPECT: ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>
// EXPECT: ashlar::print: the layout is partial; all_reduce it first
#include <ashlar/tensor/tensor.hpp>
#include "ashlar/tensor/print.hpp"

using namespace ashlar;
using line = mesh<axis<"x">, axis<"q">>;
using field = layout<halo("x", 1)>;
struct number {
  ASHLAR_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
};
#ifdef ASHLAR_CONTROL
using L = field;
#else
using L = partial<field, "q">;
#endif

void show(std::ostream& out, device_mesh<line> const& m) {
  print(out, generate<double, L>(m, {8}, number{}), with_halos);
}
