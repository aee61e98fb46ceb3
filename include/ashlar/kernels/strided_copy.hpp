// SPDX-License-Identifier: BSL-1.0
// Strided copies: copies between parts of row-major arrays, as packing for a collective needs, and permutations.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/loop_nest.hpp"
#include "ashlar/kernels/transpose_tile.hpp"
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

/// Kernels on one rank's arrays: flat pointers to row-major data in the memory of `space`, small shapes; no layout, no
/// MPI. They are asynchronous if kernels of the space are.
namespace ashlar::kernels {

/// A region of a row-major array: the indices [lower, lower + extent) of each of its dimensions.
struct box {
  index_t lower[layout_detail::max_rank]{};
  index_t extent[layout_detail::max_rank]{};

  ashlar::shape shape(int rank) const {
    ashlar::shape s;
    for (s.rank = 0; s.rank < rank; ++s.rank) s.extent[s.rank] = extent[s.rank];
    return s;
  }
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

// Boxes per launch: their loops are arguments of the kernel, of which a device takes 4 KiB.
inline constexpr int copies_per_kernel = 16;
// If rows are short, the host copies a slice of every box before the next slice. So boxes that share cache lines still
// find them in the cache.
inline constexpr index_t bytes_per_slice = 1 << 16, short_row_bytes = 1024;

/// Loops (source, destination), one nest for each box.
using copy_loops = std::vector<loop_nest<2>>;

/// The same as a kernel.
template <class T>
struct strided_copies {
  T const* source;
  T* destination;
  int copies = 0;
  index_t end[copies_per_kernel];  // elements up to the end of the box.
  loop_nest<2> nest[copies_per_kernel];

  strided_copies(T const* from, T* to, std::span<loop_nest<2> const> loops) : source(from), destination(to) {
    for (auto const& l : loops) {
      end[copies] = l.size() + elements();
      nest[copies++] = l;
    }
  }
  index_t elements() const { return copies == 0 ? 0 : end[copies - 1]; }

  KOKKOS_FUNCTION void operator()(index_t i) const {
    int b = 0;
    while (end[b] <= i) ++b;
    index_t offset[2];
    nest[b].locate(b == 0 ? i : i - end[b - 1], offset);
    destination[offset[1]] = source[offset[0]];
  }
};

// Copies rows of N to 2N elements as two pieces of N, which may overlap. A constant length becomes a few moves; memcpy
// of a variable length would be a call.
template <int N, class T>
void copy_short_rows(T const* source, index_t source_row, T* destination, index_t destination_row, index_t rows,
                     index_t length) {
  for (index_t r = 0; r < rows; ++r, source += source_row, destination += destination_row) {
    std::memcpy(destination, source, N * sizeof(T));
    std::memcpy(destination + length - N, source + length - N, N * sizeof(T));
  }
}

template <class T>
void copy_rows(loop_nest<2> const& nest, T const* source, T* destination, index_t rows, index_t length) {
  index_t const from = nest.row_stride(0), to = nest.row_stride(1);
  if (index_t const step = nest.step(0), step_to = nest.step(1); length > 1 && (step != 1 || step_to != 1)) {
    for (index_t r = 0; r < rows; ++r) {
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < length; ++j) destination[r * to + j * step_to] = source[r * from + j * step];
    }
    return;
  }
  if (length <= 2) return copy_short_rows<1>(source, from, destination, to, rows, length);
  if (length <= 4) return copy_short_rows<2>(source, from, destination, to, rows, length);
  if (length <= 8) return copy_short_rows<4>(source, from, destination, to, rows, length);
  if (length <= 16) return copy_short_rows<8>(source, from, destination, to, rows, length);
  if (length <= 32) return copy_short_rows<16>(source, from, destination, to, rows, length);
  for (index_t r = 0; r < rows; ++r)
    std::memcpy(destination + r * to, source + r * from, static_cast<std::size_t>(length) * sizeof(T));
}

template <class Space, class T>
void strided_copy_by_rows(Space const& space, T const* source, T* destination, std::span<loop_nest<2> const> copies) {
  constexpr index_t bytes = sizeof(T);
  bool short_rows = false;
  index_t elements = 0;
  for (auto const& nest : copies) {
    short_rows |= nest.inner() * bytes < short_row_bytes;
    elements += nest.size();
  }
  index_t slices = elements * bytes / bytes_per_slice + 1;
  if (slices > 1 && !short_rows) slices = std::min<index_t>(slices, space.concurrency());
  auto const copy = [&](index_t first, index_t last) {
    for (index_t s = first; s < last; ++s)
      for (auto const& nest : copies) {
        index_t const in_nest = nest.size();
        for_each_rectangle(nest, in_nest * s / slices, in_nest * (s + 1) / slices,
                           [&](index_t const(&offset)[2], index_t row_count, index_t length) {
                             copy_rows(nest, source + offset[0], destination + offset[1], row_count, length);
                           });
      }
  };
  if (slices == 1) {  // asking the space for its threads costs as much as a small copy
    kernel_region const here("ashlar::strided_copy");
    copy(0, 1);
  } else {
    for_ranges("ashlar::strided_copy", space, slices, 1, copy);
  }
}

// The loop along which a transposing nest reads neighbours, while it writes neighbours along the last loop; else -1.
inline int transposed_loop(loop_nest<2> const& nest) {
  int const last = nest.rank - 1;
  if (nest.stride[1][last] == 1 && nest.stride[0][last] != 1)
    for (int d = 0; d < last; ++d)
      if (nest.stride[0][d] == 1) return d;
  return -1;
}

// Transposes blocks of tiles. The tiles of a block share pages of both arrays.
template <class Space, class T>
void strided_copy_by_tiles(Space const& space, T const* in, T* out, loop_nest<2> nest, int contiguous) {
  constexpr index_t side = tile_side<T>, block = 8 * side;
  int const last = nest.rank - 1;
  index_t const elements = nest.size();
  bool const past_caches = elements * static_cast<index_t>(sizeof(T)) >= bytes_past_caches;
  // A block spans `contiguous` (one step in `in`) and the last loop (one step in `out`).
  index_t const rows = nest.extent[contiguous], columns = nest.extent[last];
  index_t const row_step = nest.stride[1][contiguous], column_step = nest.stride[0][last];
  nest.extent[contiguous] = (rows + block - 1) / block;
  nest.extent[last] = (columns + block - 1) / block;
  for (index_t* stride : {nest.stride[0], nest.stride[1]}) {
    stride[contiguous] *= block;
    stride[last] *= block;
  }
  index_t const blocks = nest.size(), grain = blocks * elements_per_thread / std::max<index_t>(elements, 1);
  for_ranges("ashlar::copy_tiles", space, blocks, grain, [&](index_t first, index_t until) {
    for (index_t number = first; number < until; ++number) {
      index_t offset[2], at[max_rank];
      nest.locate(number, offset, at);
      index_t const high = (std::min)(block, rows - at[contiguous] * block),
                    wide = (std::min)(block, columns - at[last] * block);
      for (index_t i = 0; i < high; i += side)
        for (index_t j = 0; j < wide; j += side)
          transpose_tile(in + offset[0] + j * column_step + i, column_step, out + offset[1] + i * row_step + j,
                         row_step, (std::min)(side, high - i), (std::min)(side, wide - j), past_caches);
    }
    if (past_caches) finish_stores();
  });
}

template <class Space, class T>
void strided_copy_by_elements(Space const& space, T const* source, T* destination,
                              std::span<loop_nest<2> const> copies) {
  while (!copies.empty()) {
    std::size_t const n = std::min<std::size_t>(copies.size(), copies_per_kernel);
    strided_copies<T> const copy(source, destination, copies.first(n));
    for_elements("ashlar::strided_copy", space, copy.elements(), copy);
    copies = copies.subspan(n);
  }
}

template <class Space, class T>
void strided_copy(Space const& space, T const* source, T* destination, std::span<loop_nest<2> const> copies) {
  if constexpr (runs_in_caller<Space>) {
    if (std::none_of(copies.begin(), copies.end(), [](auto const& nest) { return transposed_loop(nest) >= 0; }))
      return strided_copy_by_rows(space, source, destination, copies);
    for (auto const& nest : copies) {
      if (int const d = transposed_loop(nest); d >= 0)
        strided_copy_by_tiles(space, source, destination, nest, d);
      else
        strided_copy_by_rows(space, source, destination, std::span(&nest, 1));
    }
  } else {
    strided_copy_by_elements(space, source, destination, copies);
  }
}

template <class Space, class T>
using unmanaged = Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Loops from a box of one array to a box of another.
inline loop_nest<2> loops_between(shape const& source, kernels::box const& from, shape const& destination,
                                  kernels::box const& to) {
  row_major_strides const source_strides(source), destination_strides(destination);
  auto nest = merge_loops<2>(from.shape(source.rank), {source_strides.stride, destination_strides.stride});
  nest.origin[0] = source_strides.offset(from.lower);
  nest.origin[1] = destination_strides.offset(to.lower);
  return nest;
}

// Loops between `count` indices of one dimension in two arrays. Their extents differ only in that dimension.
inline loop_nest<2> slabs_between(int dim, index_t count, shape const& source, index_t from, shape const& destination,
                                  index_t to) {
  kernels::box a, b;
  for (int d = 0; d < source.rank; ++d) a.extent[d] = b.extent[d] = d == dim ? count : source[d];
  a.lower[dim] = from;
  b.lower[dim] = to;
  return loops_between(source, a, destination, b);
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Copies a box of one array to a box of another.
/// Pre: the boxes have the same extents, the arrays the same rank, and the memory does not overlap
template <class Space, class T>
void copy_region(Space const& space, T const* source, shape const& source_extents, box const& from, T* destination,
                 shape const& destination_extents, box const& to) {
  kernels_detail::loop_nest<2> const loops[]{
      kernels_detail::loops_between(source_extents, from, destination_extents, to)};
  kernels_detail::strided_copy(space, source, destination, loops);
}

/// Permutes the dimensions of a row-major array.
/// Shape: dimension d of out is dimension order[d] of in
/// Pre: order names each dimension once; the memory does not overlap
/// Post: out[i_order[0], i_order[1], ..] == in[i_0, i_1, ..]
/// Example: permute(space, x, shape::of(128, 10), {1, 0}, transposed)
template <class Space, class T>
void permute(Space const& space, T const* in, shape const& extents, int const (&order)[layout_detail::max_rank],
             T* out) {
  kernels_detail::row_major_strides const in_strides(extents);
  shape permuted;
  index_t strides[layout_detail::max_rank];
  for (int& d = permuted.rank; d < extents.rank; ++d) {
    permuted[d] = extents[order[d]];
    strides[d] = in_strides.stride[order[d]];
  }
  auto const nest =
      kernels_detail::merge_loops<2>(permuted, {strides, kernels_detail::row_major_strides(permuted).stride});
  kernels_detail::strided_copy(space, in, out, std::span(&nest, 1));
}

/// Sets n elements to a value.
template <class Space, class T>
void fill(Space const& space, T* destination, index_t n, std::type_identity_t<T> const& value) {
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::for_ranges(
        "ashlar::fill", space, n, kernels_detail::elements_per_thread,
        [&](index_t begin, index_t end) { std::fill(destination + begin, destination + end, value); });
  else
    Kokkos::deep_copy(kernels_detail::instance_of(space),
                      kernels_detail::unmanaged<Space, T>(destination, static_cast<std::size_t>(n)), value);
}

/// Copies n elements.
/// Pre: the memory does not overlap
template <class Space, class T>
void copy(Space const& space, T const* source, T* destination, index_t n) {
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::for_ranges(
        "ashlar::copy", space, n, kernels_detail::elements_per_thread,
        [&](index_t begin, index_t end) { std::copy(source + begin, source + end, destination + begin); });
  else
    Kokkos::deep_copy(kernels_detail::instance_of(space),
                      kernels_detail::unmanaged<Space, T>(destination, static_cast<std::size_t>(n)),
                      kernels_detail::unmanaged<Space, T const>(source, static_cast<std::size_t>(n)));
}

}  // namespace ashlar::kernels

#ifdef ASHLAR_EXTERN
#define ASHLAR_TEMPLATES_OF_STRIDED_COPIES(T)                                                      \
  ASHLAR_EXTERN template void strided_copy(Kokkos::DefaultHostExecutionSpace const&, T const*, T*, \
                                           std::span<loop_nest<2> const>);
namespace ashlar::kernels_detail {
ASHLAR_FOR_EACH_ELEMENT(ASHLAR_TEMPLATES_OF_STRIDED_COPIES)
}  // namespace ashlar::kernels_detail
#endif
