#include "ashlar/io/hdf5/field_series.hpp"

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"data">, axis<"model">>;

// A partial tensor is a field of a series: no rank knows its value.
namespace series_of_a_partial_tensor {
void right(field_series<grid>& series, sharded_tensor<double, layout<"data", none>, grid> const& u) {
  series.write(0, series_field("u", u));
}
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(field_series<grid>& series, sharded_tensor<double, partial<layout<none, none>, "data">, grid> const& u) {
  series.write(0, series_field("u", u));
}
}  // namespace series_of_a_partial_tensor

// XDMF has no complex numbers.
namespace series_of_complex_numbers {
void right(field_series<grid>& series, sharded_tensor<double, layout<"data", "model">, grid> const& u) {
  series.write(0, series_field("u", u));
}
// error: ashlar::io::field_series: elements are float, double or integers; cast the field, or write real and imaginary parts
void wrong(field_series<grid>& series,
           sharded_tensor<Kokkos::complex<double>, layout<"data", "model">, grid> const& u) {
  series.write(0, series_field("u", u));
}
}  // namespace series_of_complex_numbers

// A step of a series without fields.
namespace series_without_fields {
void right(field_series<grid>& series, sharded_tensor<double, layout<"data", none>, grid> const& u) {
  series.write(0, series_field("u", u));
}
// error: ashlar::io::field_series: a step has one field or more; give series_field("u", u)
void wrong(field_series<grid>& series, sharded_tensor<double, layout<"data", none>, grid> const& u) {
  (void)u;
  series.write(0);
}
}  // namespace series_without_fields
