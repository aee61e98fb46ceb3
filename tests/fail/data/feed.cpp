#include "ashlar/data/batch_stream.hpp"
#include "ashlar/data/feed.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;

// A batch fed into a layout in which the result is partial: each rank would hold the whole of it.
namespace into_a_partial_layout {
auto right(device_mesh<line> const& m, idx_array const& images, shuffled_batches const& batches) {
  return feed<float, layout<"x", none>>(m, images, batches, 0, 1.f);
}
// error: ashlar::feed: the layout is partial, and each rank would hold the whole batch; feed the layout without it
auto wrong(device_mesh<line> const& m, idx_array const& images, shuffled_batches const& batches) {
  return feed<float, partial<layout<none, none>, "x">>(m, images, batches, 0, 1.f);
}
}  // namespace into_a_partial_layout

// A batch fed into a layout without dimensions.
namespace into_a_scalar {
auto right(device_mesh<line> const& m, idx_array const& labels, shuffled_batches const& batches) {
  return feed<int, layout<"x">>(m, labels, batches, 0, 1);
}
// error: ashlar::feed: a batch has a dimension of examples; give the layout at least that one
auto wrong(device_mesh<line> const& m, idx_array const& labels, shuffled_batches const& batches) {
  return feed<int, layout<>>(m, labels, batches, 0, 1);
}
}  // namespace into_a_scalar

// A stream that is told nothing about the tensors of its batches.
namespace stream_without_a_field {
using line = mesh<axis<"data">>;
auto right(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, layout<"data", none>>{}).count();
}
// error: ashlar::batch_stream: it takes a field for each array of the dataset; give at least one
auto wrong(device_mesh<line> const& m, dataset const& d) { return batch_stream(m, d).count(); }
}  // namespace stream_without_a_field
