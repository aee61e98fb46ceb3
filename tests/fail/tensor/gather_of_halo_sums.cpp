// The elements of a tensor whose halo holds sums are not complete.
// EXPECT: ashlar::owned: the halo holds sums; write add_halo\(x\) first
// ONE ERROR
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1)>;

std::vector<double> all(sharded_tensor<double, halo_sums<field>, line> const& x) {
#ifdef ASHLAR_CONTROL
  return gather_all(add_halo(x));
#else
  return gather_all(x);
#endif
}
