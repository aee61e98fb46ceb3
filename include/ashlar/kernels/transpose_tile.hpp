// SPDX-License-Identifier: BSL-1.0
// Transposes a tile of a matrix in a buffer, so that both arrays are accessed in whole cache lines, each once. Without the
// buffer the lines of a tile would evict each other if strides are powers of two.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <algorithm>
#include <cstdint>

namespace ashlar::kernels_detail {

/// The elements along a side of a tile.
template <class T>
inline constexpr index_t tile_side = sizeof(T) < 16 ? 128 / static_cast<index_t>(sizeof(T)) : 8;
/// Arrays of this size and more do not stay in a cache until they are read. Their stores pass the caches by, which spares
/// the load of each line that is written.
inline constexpr index_t bytes_past_caches = 4 << 20;

// Vectors of 16 bytes, as g++ and clang have them for x86-64. Compilers of devices do not know their functions.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIP__)
inline constexpr bool has_vectors = true;
typedef long long vector_16 __attribute__((vector_size(16), may_alias));
typedef long long unaligned_16 __attribute__((vector_size(16), may_alias, aligned(1)));

/// Writes 16 bytes to an address that is a multiple of 16.
inline void store_past_caches(void* to, vector_16 const& v) {
#ifdef __clang__
  __builtin_nontemporal_store(v, static_cast<vector_16*>(to));
#else
  __builtin_ia32_movntdq(static_cast<vector_16*>(to), v);
#endif
}
/// What other threads and ranks see after this thread tells them includes the stores above.
inline void finish_stores() { __builtin_ia32_sfence(); }

/// Transposes 2 x 2 elements of 8 bytes. The rows of `from` are `step` elements apart, and the rows of `to` `width`.
template <class T>
void transpose_pairs(T const* from, index_t step, T* to, index_t width) {
  auto const a = *reinterpret_cast<unaligned_16 const*>(from), b = *reinterpret_cast<unaligned_16 const*>(from + step);
  *reinterpret_cast<vector_16*>(to) = __builtin_shufflevector(a, b, 0, 2);
  *reinterpret_cast<vector_16*>(to + width) = __builtin_shufflevector(a, b, 1, 3);
}
template <class T>
void copy_past_caches(T const* from, index_t n, T* to) {
  for (index_t i = 0; i < n; i += 16 / static_cast<index_t>(sizeof(T)))
    store_past_caches(to + i, *reinterpret_cast<vector_16 const*>(from + i));
}
#else
inline constexpr bool has_vectors = false;
inline void finish_stores() {}
#endif

/// buffer[i][j] = from[j * step + i] for i below `rows` and j below `columns`.
template <class T, std::size_t Side>
void load_transposed(T const* from, index_t step, T (&buffer)[Side][Side], index_t rows, index_t columns) {
  constexpr index_t side = static_cast<index_t>(Side);
  if constexpr (has_vectors && sizeof(T) == 8)
    if (rows == side && columns == side) {
      for (index_t j = 0; j < side; j += 2)
        for (index_t i = 0; i < side; i += 2) transpose_pairs(from + j * step + i, step, &buffer[i][j], side);
      return;
    }
  for (index_t j = 0; j < columns; ++j)
    for (index_t i = 0; i < rows; ++i) buffer[i][j] = from[j * step + i];
}

/// to[i * to_step + j] = from[j * from_step + i] for i below `rows` and j below `columns`.
/// Pre: both are at most tile_side<T>. If `past_caches` is set, finish_stores() comes after the last tile.
template <class T>
void transpose_tile(T const* from, index_t from_step, T* to, index_t to_step, index_t rows, index_t columns,
                    bool past_caches) {
  constexpr index_t side = tile_side<T>;
  alignas(64) T buffer[array_bound(side)][array_bound(side)];
  load_transposed(from, from_step, buffer, rows, columns);
  for (index_t i = 0; i < rows; ++i) {
    T* const row = to + i * to_step;
    if constexpr (has_vectors)
      if (past_caches && columns == side && reinterpret_cast<std::uintptr_t>(row) % 16 == 0) {
        copy_past_caches(buffer[i], side, row);
        continue;
      }
    std::copy_n(buffer[i], columns, row);
  }
}

}  // namespace ashlar::kernels_detail
