// A stream of batches in a layout in which they are partial: each rank would hold the whole batch.
// EXPECT: ashlar::batch_stream: the layout is partial
#include "ashlar/data/batch_stream.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using rows = layout<"x", none>;
#else
using rows = partial<layout<none, none>, "x">;
#endif

auto stream_of(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, rows>{}).count();
}
