// A file of a tensor whose halo holds sums.
// EXPECT: ashlar::owned: the halo holds sums; write add_halo\(x\) first
// ONE ERROR
#include <ashlar/io/npy_files.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1)>;

void save(sharded_tensor<double, halo_sums<field>, line> const& x) {
#ifdef ASHLAR_CONTROL
  save_npy(add_halo(x), "x.npy");
#else
  save_npy(x, "x.npy");
#endif
}
