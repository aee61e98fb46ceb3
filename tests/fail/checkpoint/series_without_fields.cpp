// A step of a series without fields.
// EXPECT: ashlar::field_series: a step has one field or more; give series_field
#include "ashlar/io/field_series.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

void write(field_series<grid>& series, sharded_tensor<double, layout<"data", none>, grid> const& u) {
#ifdef ASHLAR_CONTROL
  series.write(0, series_field("u", u));
#else
  (void)u;
  series.write(0);
#endif
}
