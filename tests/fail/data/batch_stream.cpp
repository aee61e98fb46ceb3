#include "ashlar/data/batch_stream.hpp"

using namespace ashlar;
using namespace ashlar::datasets;
using line = mesh<axis<"x">>;

// Batches in a layout in which they are partial: each rank would hold the whole batch.
namespace of_a_partial_layout {
auto right(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, layout<"x", none>>{}).count();
}
// error: ashlar::datasets::batch_stream: the layout is partial, and each rank would hold the whole batch; leave the partial axes out
auto wrong(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, partial<layout<none, none>, "x">>{}).count();
}
}  // namespace of_a_partial_layout

// Batches in a layout without dimensions.
namespace of_scalars {
auto right(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, layout<"x">>{}).count();
}
// error: ashlar::datasets::batch_stream: a batch has a dimension of examples; give the layout at least that one
auto wrong(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, layout<>>{}).count();
}
}  // namespace of_scalars

// A stream that is told nothing about the tensors of its batches.
namespace stream_without_a_field {
using line = mesh<axis<"data">>;
auto right(device_mesh<line> const& m, dataset const& d) {
  return batch_stream(m, d, batch_field<float, layout<"data", none>>{}).count();
}
// error: ashlar::datasets::batch_stream: it takes a field for each array of the dataset; give at least one
auto wrong(device_mesh<line> const& m, dataset const& d) { return batch_stream(m, d).count(); }
}  // namespace stream_without_a_field
