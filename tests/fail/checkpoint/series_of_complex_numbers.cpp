// XDMF has no complex numbers.
// EXPECT: ashlar::field_series: elements are float, double or integers
#include "ashlar/io/field_series.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using number = double;
#else
using number = Kokkos::complex<double>;
#endif
void write(field_series<grid>& series, sharded_tensor<number, layout<"data", "model">, grid> const& u) {
  series.write(0, series_field("u", u));
}
