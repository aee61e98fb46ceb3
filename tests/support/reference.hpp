// Arrays that scripts/reference_arrays.py made: as tensors, and to compare tensors with.
#pragma once
#include "ashlar/io/npy.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "dense.hpp"
#include "support/data.hpp"
#include <cmath>
#include <string>

namespace ashlar::test {

inline io::npy_array reference(std::string const& name) {
  return io::read_npy(testing::data_folder() / (name + ".npy"));
}

template <class T>
std::vector<T> elements(io::npy_array const& a) {
  std::vector<T> v(a.bytes.size() / sizeof(T));
  std::memcpy(v.data(), a.bytes.data(), a.bytes.size());
  return v;
}

/// The tensor of an array that every rank has.
template <class T, class L, class M>
sharded_tensor<T, L, M> npy_tensor(device_mesh<M> const& m, io::npy_array const& from) {
  shape extents;
  for (index_t const n : from.extents) extents[extents.rank++] = n;
  sharded_tensor<T, L, M> x(m, extents);
  tensor_detail::fill_from_whole(x, reinterpret_cast<T const*>(from.bytes.data()));
  return x;
}

template <class T, class L, class M>
auto recorded_tensor(device_mesh<M> const& m, std::string const& name) {
  return npy_tensor<T, L>(m, reference(name));
}

/// Slice i of the first dimension.
inline io::npy_array slice(io::npy_array const& a, index_t i) {
  io::npy_array s{{a.extents.begin() + 1, a.extents.end()}, a.kind, {}};
  auto const n = static_cast<std::ptrdiff_t>(a.bytes.size()) / a.extents[0];
  s.bytes.assign(a.bytes.begin() + i * n, a.bytes.begin() + (i + 1) * n);
  return s;
}

/// The largest distance of this rank's shard from its part of an array, relative to the array's largest element.
template <class X>
double distance_from(X const& x, std::vector<double> const& expected) {
  auto const& t = plan_detail::materialize(x);
  auto const own = shard(t);
  auto const at = positions(t.extents(), t.layout, t.mesh().sizes(), t.mesh().rank());
  if (own.size() != at.size() || static_cast<std::size_t>(t.extents().size()) != expected.size()) return HUGE_VAL;
  double largest = 0, difference = 0;
  for (double const e : expected) largest = std::max(largest, std::abs(e));
  for (std::size_t i = 0; i < own.size(); ++i)
    difference = larger(difference, std::abs(static_cast<double>(own[i]) - expected[static_cast<std::size_t>(at[i])]));
  return largest > 0 ? difference / largest : difference;
}
template <class X>
double distance_from(X const& x, std::string const& name) {
  return distance_from(x, elements<double>(reference(name)));
}

}  // namespace ashlar::test
