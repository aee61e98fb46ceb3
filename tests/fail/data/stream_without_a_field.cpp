// A stream that is told nothing about the tensors of its batches.
// EXPECT: ashlar::batch_stream: it takes a field for each array of the dataset
#include "ashlar/data/batch_stream.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;

auto stream_of(device_mesh<line> const& m, dataset const& d) {
#ifdef ASHLAR_CONTROL
  return batch_stream(m, d, batch_field<float, layout<"data", none>>{}).count();
#else
  return batch_stream(m, d).count();
#endif
}
