// SPDX-License-Identifier: BSL-1.0
// The leaves of fused expressions as kernels see them: arrays, constants, global indices.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/loop_nest.hpp"
#include "ashlar/meta/product.hpp"
#include <tuple>
#include <utility>

namespace ashlar::kernels_detail {

/// The longest piece of a row for which a leaf computes its values into a buffer.
inline constexpr index_t piece_length = 256;

template <class T>
struct piece_buffer {
  T value[piece_length];
  piece_buffer() {}  // leaves the values unset
};
struct no_buffer {};

/// The identity: an expression that is its leaf.
struct same_value {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x;
  }
};

}  // namespace ashlar::kernels_detail

/// A leaf gives a value for each index (i_0, ..) of the kernel's shape. Its members:
///   using buffer        storage for one piece of a row on the host.
///   strides()           the weight of each index in the `offset` that the other members take.
///   at(offset)          one value.
///   buffered(step)      true if rows() needs the buffer, for neighbours `step` apart; then it serves row 0 alone.
///   rows(offset, row_stride, step, length, buffer)
///                       a function of (r, j) for j in [0, length): at(offset + r * row_stride + j * step).
namespace ashlar::kernels {

/// An array with a stride per dimension of the kernel's shape; 0 if it is broadcast along the dimension.
template <class T>
struct strided {
  T const* data;
  index_t stride[layout_detail::max_rank];

  using buffer = kernels_detail::piece_buffer<T>;
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION T at(index_t offset) const { return data[offset]; }
  static bool buffered(index_t step) { return step != 1; }
  struct pointer {
    T const* data;
    index_t row_stride;
    T operator()(index_t r, index_t j) const { return data[r * row_stride + j]; }
  };
  pointer rows(index_t offset, index_t row_stride, index_t step, index_t length, buffer& b) const {
    if (step == 1) return {data + offset, row_stride};
    if (step == 0)
      std::fill_n(b.value, length, data[offset]);
    else
      for (index_t j = 0; j < length; ++j) b.value[j] = data[offset + j * step];
    return {b.value, 0};
  }
};

/// A row-major array of the kernel's own shape.
template <class T>
strided<T> contiguous(T const* data, shape const& extents) {
  strided<T> leaf{data, {}};
  kernels_detail::row_major_strides const s(extents);
  for (int d = 0; d < extents.rank; ++d) leaf.stride[d] = s.stride[d];
  return leaf;
}

/// The same value everywhere.
template <class T>
struct constant {
  T value;

  using buffer = kernels_detail::no_buffer;
  static index_t const* strides() {
    static constexpr index_t none[layout_detail::max_rank]{};
    return none;
  }
  KOKKOS_FUNCTION T at(index_t) const { return value; }
  static bool buffered(index_t) { return false; }
  auto rows(index_t, index_t, index_t, index_t, buffer&) const {
    return [v = value](index_t, index_t) { return v; };
  }
};

/// The linear index in the global array of each element of a shard: base + sum of i_d * stride[d].
struct global_index {
  index_t base;
  index_t stride[layout_detail::max_rank];

  using buffer = kernels_detail::no_buffer;
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION index_t at(index_t offset) const { return base + offset; }
  static bool buffered(index_t) { return false; }
  auto rows(index_t offset, index_t row_stride, index_t step, index_t, buffer&) const {
    return [=, first = base + offset](index_t r, index_t j) { return first + r * row_stride + j * step; };
  }
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

template <class Numbers, class... Leaf>
struct leaf_pack;
/// The leaves of an expression, readable in kernels. In its loop nests array 0 is the result, array I + 1 leaf I.
template <int... I, class... Leaf>
struct leaf_pack<std::integer_sequence<int, I...>, Leaf...> : product<Leaf...> {
  static constexpr int arrays = static_cast<int>(sizeof...(Leaf)) + 1;
  using nest_type = loop_nest<arrays>;

  explicit leaf_pack(Leaf const&... leaf) : product<Leaf...>(leaf...) {}

  nest_type nest(shape const& extents, index_t const* result_strides) const {
    return merge_loops<arrays>(extents, {result_strides, get<I>(*this).strides()...});
  }

  template <class F>
  KOKKOS_FUNCTION auto evaluate(F const& f, index_t const (&offset)[array_bound(arrays)]) const {
    return f(get<I>(*this).at(offset[I + 1])...);
  }

  /// Calls `visit(offset in the result, rows, length, rows() of each leaf...)` for rectangles of the two innermost
  /// loops that make up the elements [begin, end). If a leaf needs its buffer, each rectangle is a piece of one row.
  template <class Visit>
  void for_each_piece(nest_type const& nest, index_t begin, index_t end, Visit const& visit) const {
    std::tuple<typename Leaf::buffer...> buffers;
    auto const call = [&](index_t const(&offset)[array_bound(arrays)], index_t rows, index_t first, index_t length) {
      visit(offset[0] + first * nest.step(0), rows, length,
            get<I>(*this).rows(offset[I + 1] + first * nest.step(I + 1), nest.row_stride(I + 1), nest.step(I + 1),
                               length, std::get<I>(buffers))...);
    };
    bool const buffered = (Leaf::buffered(nest.step(I + 1)) || ...);
    for_each_rectangle(nest, begin, end, [&](index_t(&offset)[array_bound(arrays)], index_t rows, index_t length) {
      if (!buffered) return call(offset, rows, 0, length);
      for (index_t r = 0; r < rows; ++r) {
        for (index_t j = 0; j < length; j += piece_length) call(offset, 1, j, (std::min)(piece_length, length - j));
        for (int a = 0; a < arrays; ++a) offset[a] += nest.row_stride(a);
      }
    });
  }
};

template <class... Leaf>
using leaves = leaf_pack<std::make_integer_sequence<int, static_cast<int>(sizeof...(Leaf))>, Leaf...>;

}  // namespace ashlar::kernels_detail
