// Attributes have no such values.
// EXPECT: ashlar::load_hdf5_attribute: values are std::string, bool, integers, float, double
#include "ashlar/io/hdf5_attributes.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using unit_text = std::string;
#else
using unit_text = char const*;
#endif
auto unit_of(device_mesh<grid> const& m) { return load_hdf5_attribute<unit_text>(m, "x.h5", "u", "unit"); }
