// SPDX-License-Identifier: BSL-1.0
// Indices that are outside, as kernels on the host find them.
#pragma once
#include "ashlar/kernels/rows.hpp"
#include <cstdint>
#include <limits>

namespace ashlar::kernels {

/// The first index of a shard that is outside 0 to extent - 1: its position in the shard (-1: there is none) and its value.
struct outside_index {
  index_t at = -1, index = 0, extent = 0;
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

/// Keeps the lowest position of an index outside. A kernel tells it only of indices that it cannot use, so that the others
/// cost nothing. Threads of the host share `first`. On devices no index counts as outside: to read `first` would wait for
/// the kernel.
struct outside_indices {
  std::uint64_t extent = ~std::uint64_t{0};
  index_t* first = nullptr;

  KOKKOS_FUNCTION bool is_outside(index_t index) const { return static_cast<std::uint64_t>(index) >= extent; }
  KOKKOS_FUNCTION void note(index_t at, index_t index) const {
    if (is_outside(index)) keep(at);
  }

 private:
  // Not inlined: a loop that contains it would be slower.
  [[gnu::noinline]] KOKKOS_FUNCTION void keep(index_t at) const {
    if (first != nullptr) Kokkos::atomic_min(first, at);
  }
};

/// Runs kernel(outside_indices) and returns what it has found.
template <class Space, class I, class Kernel>
kernels::outside_index look_outside(bool looks, index_t extent, I const* index, Kernel const& kernel) {
  constexpr index_t none = (std::numeric_limits<index_t>::max)();
  index_t first = none;
  kernel(looks && runs_in_caller<Space> ? outside_indices{static_cast<std::uint64_t>(extent), &first}
                                        : outside_indices{});
  if (first == none) return {};
  return {first, static_cast<index_t>(index[first]), extent};
}

/// True for a label other than -1, which batches pad with.
template <class I>
struct is_not_padding {
  I const* labels;
  bool operator()(index_t row) const { return labels[row] != static_cast<I>(-1); }
};

/// Looks for a label that is no class, in the rows that use theirs.
template <class Space, class I, class Uses>
kernels::outside_index look_at_labels(Space const& space, I const* labels, index_t rows, index_t classes,
                                      Uses const& uses) {
  if constexpr (runs_in_caller<Space>)
    return look_outside<Space>(true, classes, labels, [&](outside_indices const& outside) {
      for_each_index("ashlar::labels", space, rows, 1, [&](index_t r) {
        auto const l = static_cast<index_t>(labels[r]);
        if ((l < 0 || l >= classes) && uses(r)) outside.note(r, l);
      });
    });
  else
    return {};
}

}  // namespace ashlar::kernels_detail
