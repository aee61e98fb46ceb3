#include "ashlar/io/npz_files.hpp"

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"data">, axis<"model">>;

// Each rank would hold the whole value.
namespace load_npz_into_a_partial_layout {
auto right(device_mesh<grid> const& m) { return load_npz<float, layout<"data", none>>(m, "x.npz", "x"); }
// error: ashlar::io: the layout is partial, and each rank would hold the whole value; take the layout without it
auto wrong(device_mesh<grid> const& m) { return load_npz<float, partial<layout<none, none>, "data">>(m, "x.npz", "x"); }
}  // namespace load_npz_into_a_partial_layout

// Files have no such elements.
namespace load_npz_of_other_elements {
namespace right {
auto tensor_of(device_mesh<grid> const& m) { return load_npz<double, layout<"data", none>>(m, "x.npz", "x"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; load one of these and cast the tensor
namespace wrong {
struct number {
  double part[3];
};
auto tensor_of(device_mesh<grid> const& m) { return load_npz<number, layout<"data", none>>(m, "x.npz", "x"); }
}  // namespace wrong
}  // namespace load_npz_of_other_elements

// A partial tensor is saved: no rank knows its value.
namespace save_npz_of_a_partial_tensor {
void right(sharded_tensor<float, layout<"data", none>, grid> const& x) {
  save_npz(x.mesh(), "x.npz", npz_array("x", x));
}
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(sharded_tensor<float, partial<layout<none, none>, "data">, grid> const& x) {
  save_npz(x.mesh(), "x.npz", npz_array("x", x));
}
}  // namespace save_npz_of_a_partial_tensor

// A file of no array: the names of the tensors are forgotten.
namespace save_npz_without_arrays {
void right(sharded_tensor<float, layout<"data">, grid> const& x) { save_npz(x.mesh(), "x.npz", npz_array("x", x)); }
// error: ashlar::io::save_npz: a file has one array or more; give npz_array("u", u)
void wrong(sharded_tensor<float, layout<"data">, grid> const& x) {
  (void)x;
  save_npz(x.mesh(), "x.npz");
}
}  // namespace save_npz_without_arrays
