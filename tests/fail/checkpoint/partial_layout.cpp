// A gradient before it is reduced: no rank knows its value.
// EXPECT: ashlar::save_checkpoint: the layout of a tensor is partial
#include "ashlar/checkpoint/checkpoint.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;

#ifdef ASHLAR_CONTROL
using layout_saved = layout<"data">;
#else
using layout_saved = partial<layout<none>, "data">;
#endif
void save(device_mesh<line> const& m, sharded_tensor<float, layout_saved, line> const& gradient) {
  save_checkpoint("a.h5", m.communicator(), 1, checkpoint_part("gradient", gradient));
}
