// Only a tensor with a halo has halo cells to show.
// EXPECT: ashlar::print: the layout has no halo; leave with_halos out
// EXPECT: ashlar::draw: the layout has no halo; leave with_halos out
#include <ashlar/tensor/tensor.hpp>
#include "ashlar/tensor/print.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using L = layout<halo("x", 1)>;
#else
using L = layout<"x">;
#endif

void show(std::ostream& out, device_mesh<line> const& m) {
  auto const x = make<float, L>(m, {8});
  print(out, x, with_halos);
  draw(out, x, with_halos);
}
