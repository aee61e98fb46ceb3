// Shards of arrays for tests of local kernels: one rank has a whole array, or a part of it.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include <vector>

namespace ashlar::test {

/// The region of an array of these extents whose indices begin at `first`.
inline region region_of(shape const& s, index_t first = 0) {
  region r;
  for (; r.rank < s.rank; ++r.rank) r.dim[r.rank] = index_set(first, first + s[r.rank]);
  return r;
}
template <class T>
kernels::shard<T const> operand(std::vector<T> const& v, shape const& s, index_t first = 0) {
  return {v.data(), region_of(s, first), s};
}
template <class T>
kernels::shard<T> result(T* y, shape const& s, index_t first = 0) {
  return {y, region_of(s, first), s};
}

}  // namespace ashlar::test
