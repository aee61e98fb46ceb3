#include "ashlar/io/npy_files.hpp"
#include "ashlar/data/open.hpp"
#include "ashlar/io/npz_files.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"data">, axis<"model">>;

// Elements that have no type in files.
namespace elements_that_no_file_has {
namespace right {
void save(sharded_tensor<double, layout<"data">, grid> const& x, sharded_tensor<double, layout<none>, grid> const& y) {
  save_npy(x.mesh(), "x.npy", x);
  save_npz(y.mesh(), "x.npz", npz_array("y", y));
}
}  // namespace right
namespace wrong {
struct number {
  double part[3];
};
void save(sharded_tensor<number, layout<"data">, grid> const& x, sharded_tensor<number, layout<none>, grid> const& y) {
  // error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
  save_npy(x.mesh(), "x.npy", x);
  // error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
  save_npz(y.mesh(), "x.npz", npz_array("y", y));
}
}  // namespace wrong
}  // namespace elements_that_no_file_has

// A file is read into a partial layout: each rank would hold the whole value.
namespace load_npy_into_a_partial_layout {
auto right(device_mesh<grid> const& m) { return load_npy<float, layout<"data", none>>(m, "x.npy"); }
// error: ashlar::io: the layout is partial, and each rank would hold the whole value; take the layout without it
auto wrong(device_mesh<grid> const& m) { return load_npy<float, partial<layout<none, none>, "data">>(m, "x.npy"); }
}  // namespace load_npy_into_a_partial_layout

// Files have no such elements.
namespace load_npy_of_other_elements {
namespace right {
auto tensor_of(device_mesh<grid> const& m) { return load_npy<double, layout<"data", none>>(m, "x.npy"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; load one of these and cast the tensor
namespace wrong {
struct number {
  double part[3];
};
auto tensor_of(device_mesh<grid> const& m) { return load_npy<number, layout<"data", none>>(m, "x.npy"); }
}  // namespace wrong
}  // namespace load_npy_of_other_elements

// Examples of elements that the reader knows of no file.
namespace open_raw_of_other_elements {
namespace right {
auto examples(communicator const& c) { return datasets::open_raw<double>(c, "x.bin", {4, 3}); }
}  // namespace right
// error: ashlar::io::npy_kind: files are read of float, double, std::int32_t, std::int64_t and std::uint8_t; make a tensor of one of these and cast it
namespace wrong {
struct number {
  double part[3];
};
auto examples(communicator const& c) { return datasets::open_raw<number>(c, "x.bin", {4, 3}); }
}  // namespace wrong
}  // namespace open_raw_of_other_elements

// A file of a tensor whose halo holds sums.
namespace save_halo_sums {
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1)>;
void right(sharded_tensor<double, halo_sums<field>, line> const& x) { save_npy(x.mesh(), "x.npy", add_halo(x)); }
// error: ashlar::owned: the halo holds sums; write add_halo(x) first
void wrong(sharded_tensor<double, halo_sums<field>, line> const& x) { save_npy(x.mesh(), "x.npy", x); }
}  // namespace save_halo_sums

// A partial tensor is saved: no rank knows its value.
namespace save_npy_of_a_partial_tensor {
void right(sharded_tensor<float, layout<"data", none>, grid> const& x) { save_npy(x.mesh(), "x.npy", x); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(sharded_tensor<float, partial<layout<none, none>, "data">, grid> const& x) {
  save_npy(x.mesh(), "x.npy", x);
}
}  // namespace save_npy_of_a_partial_tensor
