// SPDX-License-Identifier: BSL-1.0
// A tensor as kernels see it: one rank's array and its place among the elements of all ranks.
#pragma once
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/layout/split.hpp"
#include <type_traits>

/// The kernels of operations. Each operation has an overload
///   run(op, space, scratch, shard<T> y, shard<X const> x...)
/// that writes y. It is found by argument-dependent lookup, here or in the namespace of the operation.
namespace ashlar::kernels {

/// One rank's shard of a tensor: a contiguous, row-major array in memory that the kernels of a space can access.
/// Example: shard<float const>{x, {2, {{0, 2}, {0, 10}}}, shape::of(4, 10)} has 2 of 4 rows
template <class T>
struct shard {
  using element_type = std::remove_const_t<T>;

  T* data;
  region owned;  // global indices of the elements
  shape global;  // extents of the tensor

  shape local_extents() const { return owned.extents(); }
  index_t local_size() const { return owned.size(); }
};

}  // namespace ashlar::kernels
