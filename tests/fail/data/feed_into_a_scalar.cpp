// A batch fed into a layout without dimensions.
// EXPECT: ashlar::feed: a batch has a dimension of examples; give the layout at least that one
#include "ashlar/data/feed.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using rows = layout<"x">;
#else
using rows = layout<>;
#endif

auto batch_of(device_mesh<line> const& m, idx_array const& labels, shuffled_batches const& batches) {
  return feed<int, rows>(m, labels, batches, 0, 1);
}
