// Elements that have no type in files.
// EXPECT: ashlar::save_npy: elements are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
// EXPECT: ashlar::save_npz: elements are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
#include "ashlar/io/npy_files.hpp"
#include "ashlar/io/npz_files.hpp"
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

void save(sharded_tensor<number, layout<"data">, grid> const& x) {
  save_npy(x, "x.npy");
  save_npz("x.npz", npz_array("x", x));
}
