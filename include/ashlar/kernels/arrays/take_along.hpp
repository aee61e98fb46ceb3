// SPDX-License-Identifier: BSL-1.0
// Elements by an index for each line.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/arrays/take_along.hpp"

namespace ashlar::kernels_detail {

/// A task is one element of the result.
template <class T, class I>
struct take_along_kernel {
  T const* in;
  I const* index;
  T* out;
  index_t n, inner, count;  // of elements and of indices in a line
  index_t first = 0;        // the index of the first element
  outside_indices outside = {};

  KOKKOS_FUNCTION void operator()(index_t i) const {
    auto const at = static_cast<index_t>(index[i]) - first;
    bool const is_outside = at < 0 || at >= n;
    if (is_outside) outside.note(i, at);
    out[i] = is_outside ? T{} : in[(i / (inner * count) * n + at) * inner + i % inner];
  }
};

/// A task is one line, so that no two tasks add to one element.
template <class T, class I>
struct add_along_kernel {
  T const* in;
  I const* index;
  T* out;
  index_t n, inner, count;
  index_t first = 0;

  KOKKOS_FUNCTION void operator()(index_t which) const {
    index_t const o = which / inner, j = which % inner;
    for (index_t k = 0; k < count; ++k) {
      index_t const from = (o * count + k) * inner + j;
      auto const at = static_cast<index_t>(index[from]) - first;
      if (at >= 0 && at < n) out[(o * n + at) * inner + j] += in[from];
    }
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, bool Own, class S, class T, class I>
outside_index run(ops_detail::take_along_op<Dim, Own> const&, S const& space, scratch_memory, shard<T> const& y,
                  shard<T const> const& x, shard<I const> const& index) {
  kernels_detail::lines_of const a(x.local_extents(), Dim);
  index_t const count = y.local_extents()[Dim];
  return kernels_detail::look_outside<S>(!Own, a.n, index.data, [&](auto const& outside) {
    kernels_detail::for_each_index(
        "ashlar::take_along", space, y.local_size(), 4,
        kernels_detail::take_along_kernel<T, I>{x.data, index.data, y.data, a.n, a.inner, count,
                                                Own ? x.owned.dim[Dim].begin : 0, outside});
  });
}

template <int Dim, bool Own, class S, class T, class I>
void run(ops_detail::add_along_op<Dim, Own> const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x, shard<I const> const& index) {
  kernels_detail::lines_of const a(y.local_extents(), Dim);
  index_t const count = x.local_extents()[Dim];
  fill(space, y.data, y.local_size(), T(0));
  kernels_detail::for_each_index("ashlar::take_along", space, a.count(), 4 * count,
                                 kernels_detail::add_along_kernel<T, I>{x.data, index.data, y.data, a.n, a.inner, count,
                                                                        Own ? y.owned.dim[Dim].begin : 0});
}

}  // namespace ashlar::kernels
