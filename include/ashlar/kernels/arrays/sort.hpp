// SPDX-License-Identifier: BSL-1.0
// The order of elements along a dimension.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/arrays/sort.hpp"
#include <algorithm>
#include <memory>
#include <span>

namespace ashlar::kernels_detail {

/// True if element a comes before element b. NaN is the largest; the lower index wins ties.
template <class T, bool Descending>
struct element_order {
  T const* line;
  index_t step;

  KOKKOS_FUNCTION bool operator()(index_t a, index_t b) const {
    T const x = line[a * step], y = line[b * step];
    bool const x_nan = is_nan(x), y_nan = is_nan(y);
    if (x_nan != y_nan) return Descending ? x_nan : y_nan;
    if (!x_nan && x != y) return Descending ? y < x : x < y;
    return a < b;
  }
};

/// A task sorts the indices of one line by a heap, in memory of its own, and stores the first of them.
template <class T, bool Descending>
struct order_kernel {
  T const* in;
  index_t *scratch, *out;
  index_t n, inner, first;

  KOKKOS_FUNCTION static void sift(index_t* heap, index_t root, index_t size,
                                   element_order<T, Descending> const& before) {
    for (index_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
      if (child + 1 < size && before(heap[child], heap[child + 1])) ++child;
      if (!before(heap[root], heap[child])) return;
      index_t const moved = heap[root];
      heap[root] = heap[child];
      heap[child] = moved;
      root = child;
    }
  }
  KOKKOS_FUNCTION void operator()(index_t number) const {
    index_t const o = number / inner, j = number % inner;
    element_order<T, Descending> const before{in + o * n * inner + j, inner};
    index_t* const heap = scratch + number * n;
    for (index_t i = 0; i < n; ++i) heap[i] = i;
    for (index_t i = n / 2; i-- > 0;) sift(heap, i, n, before);
    for (index_t size = n; size > 1; --size) {
      index_t const last = heap[0];
      heap[0] = heap[size - 1];
      heap[size - 1] = last;
      sift(heap, 0, size - 1, before);
    }
    for (index_t i = 0; i < first; ++i) out[(o * first + i) * inner + j] = heap[i];
  }
};

template <class T>
struct indexed_element {
  T value;
  index_t index;
};
// The first elements of a line, in order. NaN is the largest, so that NaNs get their place before numbers are compared.
template <bool Descending, class T, class At>
void order_line(std::span<indexed_element<T>> line, index_t first, At const& at) {
  auto filled = line.begin();
  auto const take = [&](bool nan) {
    for (index_t i = 0; i < static_cast<index_t>(line.size()); ++i)
      if (T const value = at(i); is_nan(value) == nan) *filled++ = {value, i};
  };
  take(Descending);
  auto const middle = filled;
  take(!Descending);
  auto const begin = Descending ? middle : line.begin(), end = Descending ? line.end() : middle;
  auto const before = [](indexed_element<T> const& a, indexed_element<T> const& b) {
    if (a.value == b.value) return a.index < b.index;
    return Descending ? b.value < a.value : a.value < b.value;
  };
  index_t const wanted = first - (begin - line.begin());
  if (wanted >= end - begin)
    std::sort(begin, end, before);
  else if (wanted > 0)
    std::partial_sort(begin, begin + wanted, end, before);
}
// On the host, elements are compared where they are contiguous.
template <bool Descending, class Space, class T>
void order_lines(Space const& space, lines_of const& a, T const* in, index_t first, index_t* out) {
  for_ranges("ashlar::sort", space, a.count(), elements_per_thread / std::max<index_t>(a.n, 1),
             [&](index_t begin, index_t end) {
               auto const n = static_cast<std::size_t>(a.n);
               auto const memory = std::make_unique_for_overwrite<indexed_element<T>[]>(n);
               for (; begin < end; ++begin) {
                 T const* const from = in + a.begin(begin);
                 index_t* const to = out + a.with_extent(first).begin(begin);
                 order_line<Descending, T>({memory.get(), n}, first, [&](index_t i) { return from[i * a.inner]; });
                 for (index_t i = 0; i < first; ++i) to[i * a.inner] = memory[static_cast<std::size_t>(i)].index;
               }
             });
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, bool Descending, class S, class T>
void run(ops_detail::order_op<Dim, Descending> const&, S const& space, scratch_memory memory, shard<index_t> const& y,
         shard<T const> const& x) {
  kernels_detail::lines_of const a(x.local_extents(), Dim);
  index_t const first = y.local_extents()[Dim];
  if (a.n == 0) return;
  if constexpr (kernels_detail::runs_in_caller<S>) {
    kernels_detail::order_lines<Descending>(space, a, x.data, first, y.data);
  } else {
    auto const indices = memory.array<index_t>(x.local_size());
    kernels_detail::for_elements(
        "ashlar::sort", space, a.count(),
        kernels_detail::order_kernel<T, Descending>{x.data, indices.data(), y.data, a.n, a.inner, first});
    space.fence("ashlar::sort: scratch");
  }
}

/// Adds the index of a part's first element to the indices within the part.
struct shifted_index {
  index_t first;
  KOKKOS_FUNCTION void operator()(index_t& i) const { i += first; }
};
template <int Dim, bool Descending, class S, class T>
void run(ops_detail::order_of_parts_op<Dim, Descending> const& op, S const& space, scratch_memory memory,
         shard<index_t> const& y, shard<T const> const& x) {
  run(ops_detail::order_op<Dim, Descending>{op.k}, space, memory, y, x);
  for_each(space, y.local_size(), shifted_index{x.owned.dim[Dim].begin}, y.data);
}

/// A task is one sample.
template <class T>
struct samples_kernel {
  T const* in;
  T* out;
  index_t n, inner, samples;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t const which = i / (inner * samples), sample = i / inner % samples;
    out[i] = in[(which * n + ops_detail::position_of_sample(sample, samples, n)) * inner + i % inner];
  }
};
template <int Dim, class S, class T>
void run(ops_detail::samples_op<Dim> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::lines_of const a(x.local_extents(), Dim);
  kernels_detail::for_each_index("ashlar::sort", space, y.local_size(), 4,
                                 samples_kernel<T>{x.data, y.data, a.n, a.inner, op.samples});
}

}  // namespace ashlar::kernels
