#include "ashlar/checkpoint/arrays.hpp"
#include "ashlar/checkpoint/checkpoint.hpp"

using namespace ashlar;
using namespace ashlar::io;

// Elements that no other program would read.
namespace element_of_16_bytes {
void right(communicator const& c, double const& x) { save_checkpoint(c, "a.h5", 1, checkpoint_part("x", x)); }
// error: ashlar::io::save_checkpoint: elements are float, double, their complex numbers, integers, bool or prng_key; cast the tensor to one of these
void wrong(communicator const& c, long double const& x) { save_checkpoint(c, "a.h5", 1, checkpoint_part("x", x)); }
}  // namespace element_of_16_bytes

// A tree that cannot take the values of a file.
namespace load_into_const {
void right(communicator const& c, double& x) { load_arrays(c, "a.h5", {}, checkpoint_part("x", x)); }
// error: ashlar::io::load_arrays: the tree is const and cannot take the values of a file; give one that is not
void wrong(communicator const& c, double const& x) { load_arrays(c, "a.h5", {}, checkpoint_part("x", x)); }
}  // namespace load_into_const

// A gradient before it is reduced: no rank knows its value.
namespace partial_layout {
using line = mesh<axis<"data">>;
void right(device_mesh<line> const& m, sharded_tensor<float, layout<"data">, line> const& gradient) {
  save_checkpoint(m, "a.h5", 1, checkpoint_part("gradient", gradient));
}
// error: ashlar::io::save_checkpoint: the layout of a tensor is partial, and no rank knows its value; all_reduce or reduce_scatter it first
void wrong(device_mesh<line> const& m, sharded_tensor<float, partial<layout<none>, "data">, line> const& gradient) {
  save_checkpoint(m, "a.h5", 1, checkpoint_part("gradient", gradient));
}
}  // namespace partial_layout

// A struct of numbers that does not say what they are called.
namespace struct_without_names {
namespace right {
struct position {
  long epoch, batch;
  static constexpr auto names = ashlar::names("epoch", "batch");
};
void save(communicator const& c, position const& at) { save_checkpoint(c, "a.h5", 1, checkpoint_part("data", at)); }
}  // namespace right
// error: ashlar::io::save_checkpoint: a leaf is a tensor, a number or a prng_key; give a struct of such its member names: static constexpr auto names = ashlar::names("a", "b")
namespace wrong {
struct position {
  long epoch, batch;
};
void save(communicator const& c, position const& at) { save_checkpoint(c, "a.h5", 1, checkpoint_part("data", at)); }
}  // namespace wrong
}  // namespace struct_without_names
