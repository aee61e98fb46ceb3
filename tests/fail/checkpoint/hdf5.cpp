#include "ashlar/io/hdf5/files.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"data">, axis<"model">>;
using reader = hdf5_file<grid>;
using writer = hdf5_file<grid, hdf5_mode::create>;
using changer = hdf5_file<grid, hdf5_mode::change>;
template <class T>
using terms = sharded_tensor<T, partial<layout<none, none>, "data">, grid>;  // a type has its sentence once
template <class T>
using rows = sharded_tensor<T, layout<"data", none>, grid>;

// A file is written that is open to be read, as hdf5_file opens it if nothing else is said.
namespace hdf5_write_of_a_file_to_read {
void right(device_mesh<grid> const& m, rows<double> const& x) { hdf5_file(m, "x.h5", to_create).write("u", x); }
// error: ashlar::io::hdf5_file: the file is open to be read; open it by hdf5_file(m, path, io::to_create), or io::to_change to add to a file that exists
void wrong(device_mesh<grid> const& m, rows<double> const& x) { hdf5_file(m, "x.h5").write("u", x); }
}  // namespace hdf5_write_of_a_file_to_read

// A dataset is updated in a file that is created, which has none.
namespace hdf5_update_of_a_new_file {
void right(changer& f, rows<float> const& x) { f.update("u", x, {0, 0}); }
// error: ashlar::io::hdf5_file: update writes into a dataset of a file that exists; open it by hdf5_file(m, path, io::to_change)
void wrong(writer& f, rows<float> const& x) { f.update("u", x, {0, 0}); }
}  // namespace hdf5_update_of_a_new_file

// A file is read before it has its name.
namespace hdf5_read_of_a_new_file {
auto right(reader const& f) { return f.read<float, layout<"data", none>>("u"); }
// error: ashlar::io::hdf5_file: a file that is created is read after close(); open it by hdf5_file(m, path)
auto wrong(writer const& f) { return f.read<float, layout<"data", none>>("u"); }
}  // namespace hdf5_read_of_a_new_file

// A first index is given to the function that makes a new dataset.
namespace hdf5_write_of_a_box {
void right(changer& f, rows<float> const& x, index_t row) {
  f.write("u", x, {});
  f.write("v", x, {.deflate = 1});
  f.update("u", x, {row, 0});
}
// error: ashlar::io::hdf5_file: write makes a new dataset; write a box of one that exists by update(dataset, x, begin), in a file that is open io::to_change
void wrong(changer& f, rows<float> const& x, index_t row) { f.write("u", x, {row, 0}); }
}  // namespace hdf5_write_of_a_box

// Attributes have no such values.
namespace hdf5_attribute_of_another_type {
auto right(reader const& f) { return f.read_attribute<std::string>("u", "unit"); }
// error: ashlar::io::hdf5_file: values of attributes are std::string, bool, integers, float, double or complex numbers of these, or vectors of one of these; read one of these
auto wrong(reader const& f) { return f.read_attribute<char const*>("u", "unit"); }
}  // namespace hdf5_attribute_of_another_type

// A file is read into a partial layout: each rank would hold the whole value.
namespace hdf5_read_into_a_partial_layout {
auto right(reader const& f) { return f.read<float, layout<"data", none>>("u"); }
// error: ashlar::io: the layout is partial, and each rank would hold the whole value; take the layout without it
auto wrong(reader const& f) { return f.read<float, partial<layout<none, none>, "data">>("u"); }
}  // namespace hdf5_read_into_a_partial_layout

// Files have no such elements.
namespace hdf5_read_of_other_elements {
namespace right {
auto tensor_of(reader const& f) { return f.read<double, layout<"data", none>>("u"); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; load one of these and cast the tensor
namespace wrong {
struct number {
  double part[3];
};
auto tensor_of(reader const& f) { return f.read<number, layout<"data", none>>("u"); }
}  // namespace wrong
}  // namespace hdf5_read_of_other_elements

// A partial tensor is written: no rank knows its value.
namespace hdf5_write_of_a_partial_tensor {
void right(writer& f, terms<double> const& x) { f.write("u", all_reduce(x)); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(writer& f, terms<double> const& x) { f.write("u", x); }
}  // namespace hdf5_write_of_a_partial_tensor
namespace hdf5_update_of_a_partial_tensor {
void right(changer& f, rows<float> const& x) { f.update("u", x, {0, 0}); }
// error: ashlar::io: the layout is partial; all_reduce or reduce_scatter the tensor first
void wrong(changer& f, terms<int> const& x) { f.update("u", x, {0, 0}); }
}  // namespace hdf5_update_of_a_partial_tensor

// Elements that have no type in HDF5 files.
namespace hdf5_write_of_other_elements {
namespace right {
void save(writer& f, rows<double> const& x) { f.write("u", x); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
namespace wrong {
struct number {
  double part[3];
};
void save(writer& f, rows<number> const& x) { f.write("u", x); }
}  // namespace wrong
}  // namespace hdf5_write_of_other_elements
namespace hdf5_update_of_other_elements {
namespace right {
void save(changer& f, rows<double> const& x) { f.update("u", x, {0, 0}); }
}  // namespace right
// error: ashlar::io: elements of files are bool, integers, float, double or complex numbers of these; cast the tensor to one of these
namespace wrong {
struct number {
  double part[3];
};
void save(changer& f, rows<number> const& x) { f.update("u", x, {0, 0}); }
}  // namespace wrong
}  // namespace hdf5_update_of_other_elements
