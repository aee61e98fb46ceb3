// A batch fed into a layout in which the result is partial: each rank would hold the whole of it.
// EXPECT: ashlar::feed: the layout is partial
#include "ashlar/data/feed.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"x", none>;
#else
using rows = partial<layout<none, none>, "x">;
#endif
auto batch_of(device_mesh<line> const& m, idx_array const& images, shuffled_batches const& batches) {
  return feed<float, rows>(m, images, batches, 0, 1.f);
}
