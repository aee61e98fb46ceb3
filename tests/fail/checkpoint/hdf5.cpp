#include "ashlar/io/hdf5/attributes.hpp"
#include "ashlar/io/hdf5/files.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"data">, axis<"model">>;
template <class T>
using terms = sharded_tensor<T, partial<layout<none, none>, "data">, grid>;  // a type has its sentence once

// A partial tensor is written: no rank knows its value.
namespace add_hdf5_of_a_partial_tensor {
void right(terms<float> const& x) { add_hdf5(all_reduce(x), "x.h5", "u"); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(terms<float> const& x) { add_hdf5(x, "x.h5", "u"); }
}  // namespace add_hdf5_of_a_partial_tensor

// Elements that have no type in HDF5 files.
namespace add_hdf5_of_other_elements {
namespace right {
void save(sharded_tensor<double, layout<"data">, grid> const& x) { add_hdf5(x, "x.h5", "x"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
namespace wrong {
struct number {
  double part[3];
};
void save(sharded_tensor<number, layout<"data">, grid> const& x) { add_hdf5(x, "x.h5", "x"); }
}  // namespace wrong
}  // namespace add_hdf5_of_other_elements

// Attributes have no such values.
namespace load_hdf5_attribute_of_another_type {
auto right(device_mesh<grid> const& m) { return load_hdf5_attribute<std::string>(m, "x.h5", "u", "unit"); }
// error: ashlar::io::load_hdf5_attribute: values are std::string, bool, integers, float, double or complex numbers of these, or vectors of one of these; load one of these
auto wrong(device_mesh<grid> const& m) { return load_hdf5_attribute<char const*>(m, "x.h5", "u", "unit"); }
}  // namespace load_hdf5_attribute_of_another_type

// A file is read into a partial layout: each rank would hold the whole value.
namespace load_hdf5_into_a_partial_layout {
auto right(device_mesh<grid> const& m) { return load_hdf5<float, layout<"data", none>>(m, "x.h5", "u"); }
// error: ashlar::io: the layout is partial, and each rank would hold the whole value; take the layout without it
auto wrong(device_mesh<grid> const& m) { return load_hdf5<float, partial<layout<none, none>, "data">>(m, "x.h5", "u"); }
}  // namespace load_hdf5_into_a_partial_layout

// Files have no such elements.
namespace load_hdf5_of_other_elements {
namespace right {
auto tensor_of(device_mesh<grid> const& m) { return load_hdf5<double, layout<"data", none>>(m, "x.h5", "u"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; load one of these and cast the tensor
namespace wrong {
struct number {
  double part[3];
};
auto tensor_of(device_mesh<grid> const& m) { return load_hdf5<number, layout<"data", none>>(m, "x.h5", "u"); }
}  // namespace wrong
}  // namespace load_hdf5_of_other_elements

// A first index is given to the function that writes a new file.
namespace save_hdf5_of_a_box {
void right(sharded_tensor<float, layout<"data", none>, grid> const& x, index_t row) {
  save_hdf5(x, "x.h5", "u", {});
  save_hdf5(x, "x.h5", "u", {.deflate = 1});
  update_hdf5(x, "x.h5", "u", {row, 0});
}
// error: ashlar::io::save_hdf5: it writes a new file; write a box of a file that exists by update_hdf5(x, path, dataset, begin)
void wrong(sharded_tensor<float, layout<"data", none>, grid> const& x, index_t row) {
  save_hdf5(x, "x.h5", "u", {row, 0});
}
}  // namespace save_hdf5_of_a_box

// A partial tensor is saved: no rank knows its value.
namespace save_hdf5_of_a_partial_tensor {
void right(terms<double> const& x) { save_hdf5(all_reduce(x), "x.h5", "u"); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(terms<double> const& x) { save_hdf5(x, "x.h5", "u"); }
}  // namespace save_hdf5_of_a_partial_tensor

// Elements that have no type in HDF5 files.
namespace save_hdf5_of_other_elements {
namespace right {
void save(sharded_tensor<double, layout<"data">, grid> const& x) { save_hdf5(x, "x.h5", "x"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
namespace wrong {
struct number {
  double part[3];
};
void save(sharded_tensor<number, layout<"data">, grid> const& x) { save_hdf5(x, "x.h5", "x"); }
}  // namespace wrong
}  // namespace save_hdf5_of_other_elements

// A partial tensor is written: no rank knows its value.
namespace update_hdf5_of_a_partial_tensor {
void right(sharded_tensor<float, layout<"data", none>, grid> const& x) { update_hdf5(x, "x.h5", "u", {0, 0}); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(terms<int> const& x) { update_hdf5(x, "x.h5", "u", {0, 0}); }
}  // namespace update_hdf5_of_a_partial_tensor

// Elements that have no type in HDF5 files.
namespace update_hdf5_of_other_elements {
namespace right {
void save(sharded_tensor<double, layout<"data">, grid> const& x) { update_hdf5(x, "x.h5", "x", {0}); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
namespace wrong {
struct number {
  double part[3];
};
void save(sharded_tensor<number, layout<"data">, grid> const& x) { update_hdf5(x, "x.h5", "x", {0}); }
}  // namespace wrong
}  // namespace update_hdf5_of_other_elements
