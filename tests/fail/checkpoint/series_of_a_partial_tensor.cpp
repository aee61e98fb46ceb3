// A partial tensor is a field of a series: no rank knows its value.
// EXPECT: ashlar::field_series: the layout of a field is partial
#include "ashlar/io/field_series.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
void write(field_series<grid>& series, sharded_tensor<double, rows, grid> const& u) {
  series.write(0, series_field("u", u));
}
