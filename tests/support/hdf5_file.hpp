// Opens an HDF5 file, and closes it after one call.
#pragma once
#include "ashlar/io/hdf5/files.hpp"
#include <string>
#include <utility>
#include <vector>

namespace ashlar::test {

template <class X>
void create_hdf5(std::string const& path, std::string const& dataset, X const& x, io::hdf5_options const& o = {}) {
  io::hdf5_file f(x.mesh(), path, io::to_create);
  f.write(dataset, x, o);
  f.close();
}
template <class X>
void add_to_hdf5(std::string const& path, std::string const& dataset, X const& x, io::hdf5_options const& o = {}) {
  io::hdf5_file f(x.mesh(), path, io::to_change);
  f.write(dataset, x, o);
  f.close();
}
template <class X>
void write_hdf5_box(std::string const& path, std::string const& dataset, X const& x, std::vector<index_t> begin) {
  io::hdf5_file f(x.mesh(), path, io::to_change);
  f.update(dataset, x, std::move(begin));
  f.close();
}
template <class T, class L, class M>
auto read_hdf5(device_mesh<M> const& m, std::string const& path, std::string const& dataset,
               io::hdf5_box const& box = {}) {
  return io::hdf5_file(m, path).template read<T, L>(dataset, box);
}
template <class A, class M>
A read_hdf5_attribute(device_mesh<M> const& m, std::string const& path, std::string const& object,
                      std::string const& name) {
  return io::hdf5_file(m, path).template read_attribute<A>(object, name);
}

}  // namespace ashlar::test
