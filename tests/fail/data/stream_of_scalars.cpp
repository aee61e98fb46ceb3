// A stream of batches in a layout without dimensions.
// EXPECT: ashlar::batch_stream: a batch has a dimension of examples; give the layout at least that one
#include "ashlar/data/batch_stream.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using rows = layout<"x">;
#else
using rows = layout<>;
#endif

auto stream_of(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, rows>{}).count();
}
