// Elements that have no type in HDF5 files.
// EXPECT: ashlar::update_hdf5: elements are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
#include "ashlar/io/hdf5_files.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
#ifdef ASHLAR_CONTROL
using number = double;
#else
struct number {
  double part[3];
};
#endif

void save(sharded_tensor<number, layout<"data">, grid> const& x) { update_hdf5(x, "x.h5", "x", {0}); }
