// SPDX-License-Identifier: BSL-1.0
// One kernel for one elementwise expression, with broadcasting.
#pragma once
#include "ashlar/kernels/leaves.hpp"

namespace ashlar::kernels_detail {

template <class T, class F, class Leaves>
struct map_kernel {
  typename Leaves::nest_type nest;
  T* out;
  F f;
  Leaves leaves;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t offset[Leaves::arrays];
    nest.locate(i, offset);
    out[offset[0]] = static_cast<T>(leaves.evaluate(f, offset));
  }
};

template <class T, class F, class... Rows>
void map_piece(T* out, index_t row_stride, index_t rows, index_t length, F f, Rows... value) {
  for (index_t r = 0; r < rows; ++r) {
    T* const row = out + r * row_stride;
    ASHLAR_INDEPENDENT
    for (index_t j = 0; j < length; ++j) row[j] = static_cast<T>(f(value(r, j)...));
  }
}

template <class Space, class T, class F, class Leaves>
void map_by_rows(Space const& space, map_kernel<T, F, Leaves> const& k) {
  for_ranges("ashlar::map", space, k.nest.size(), elements_per_thread, [&](index_t begin, index_t end) {
    k.leaves.for_each_piece(k.nest, begin, end, [&](index_t at, index_t rows, index_t length, auto const&... values) {
      map_piece(k.out + at, k.nest.row_stride(0), rows, length, k.f, values...);
    });
  });
}

template <class T, class F, class... Rows>
void map_strided_piece(T* out, index_t row_stride, index_t step, index_t rows, index_t length, F f, Rows... value) {
  for (index_t r = 0; r < rows; ++r)
    for (index_t j = 0; j < length; ++j) out[r * row_stride + j * step] = static_cast<T>(f(value(r, j)...));
}

// Of an array in which neighbours along the innermost loop need not be adjacent.
template <class Space, class T, class F, class Leaves>
void map_by_strided_rows(Space const& space, map_kernel<T, F, Leaves> const& k) {
  for_ranges("ashlar::map", space, k.nest.size(), elements_per_thread, [&](index_t begin, index_t end) {
    k.leaves.for_each_piece(k.nest, begin, end, [&](index_t at, index_t rows, index_t length, auto const&... values) {
      map_strided_piece(k.out + at, k.nest.row_stride(0), k.nest.step(0), rows, length, k.f, values...);
    });
  });
}

template <class T>
struct element_leaf {
  T* data;
  KOKKOS_FUNCTION T& at(index_t i) const { return data[i]; }
};

template <class F, class Leaves>
struct for_each_kernel {
  F f;
  Leaves leaves;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t offset[Leaves::arrays];
    for (index_t& o : offset) o = i;
    leaves.evaluate(f, offset);
  }
};

// Not inlined: g++ ignores restrict in functions that it inlines.
template <class F, class... T>
[[gnu::noinline]] void for_each_piece(index_t begin, index_t end, F f, T* __restrict... array) {
  for (index_t i = begin; i < end; ++i) f(array[i]...);
}

template <class Space, class F, class... T>
void for_each_by_elements(Space const& space, index_t n, F const& f, T*... array) {
  using leaves = leaves<element_leaf<T>...>;
  for_elements("ashlar::for_each", space, n, for_each_kernel<F, leaves>{f, leaves(element_leaf<T>{array}...)});
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Evaluates an expression for each element of a row-major array, in one kernel. In place is allowed: a leaf may read
/// `out` at the index that is written.
/// Pre: f can be called in kernels; its calls are const and independent
/// Post: out[i] == T(f(leaf at i...))
/// Example: map(space, shape::of(128, 10), y, plus, strided<float>{x, {10, 1}}, strided<float>{bias, {0, 1}})
template <class Space, class T, class F, class... Leaf>
void map(Space const& space, shape const& extents, T* out, F const& f, Leaf const&... leaf) {
  using leaves = kernels_detail::leaves<Leaf...>;
  leaves const l(leaf...);
  kernels_detail::map_kernel<T, F, leaves> const k{l.nest(extents, kernels_detail::row_major_strides(extents).stride),
                                                   out, f, l};
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::map_by_rows(space, k);
  else
    kernels_detail::for_elements("ashlar::map", space, k.nest.size(), k);
}

/// The same for an array of any strides, one per dimension.
/// Example: map_to(space, shape::of(4, 5), cells + 8, {7, 1}, plus, ...) writes the inner 4 x 5 cells of 6 x 7
template <class Space, class T, class F, class... Leaf>
void map_to(Space const& space, shape const& extents, T* out, index_t const* strides, F const& f, Leaf const&... leaf) {
  using leaves = kernels_detail::leaves<Leaf...>;
  leaves const l(leaf...);
  kernels_detail::map_kernel<T, F, leaves> const k{l.nest(extents, strides), out, f, l};
  if constexpr (!kernels_detail::runs_in_caller<Space>)
    kernels_detail::for_elements("ashlar::map", space, k.nest.size(), k);
  else if (k.nest.step(0) == 1)
    kernels_detail::map_by_rows(space, k);
  else
    kernels_detail::map_by_strided_rows(space, k);
}

/// Calls f(array[i]...) for i in [0, n), in one kernel; f may write its arguments, which are references.
/// Pre: an array that is written overlaps no other.
/// Example: for_each(space, n, adam, parameter, first_moment, second_moment, gradient)
template <class Space, class F, class... T>
void for_each(Space const& space, index_t n, F const& f, T*... array) {
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::for_ranges(
        "ashlar::for_each", space, n, kernels_detail::elements_per_thread,
        [&](index_t begin, index_t end) { kernels_detail::for_each_piece(begin, end, f, array...); });
  else
    kernels_detail::for_each_by_elements(space, n, f, array...);
}

}  // namespace ashlar::kernels
