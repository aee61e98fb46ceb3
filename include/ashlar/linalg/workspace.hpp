// SPDX-License-Identifier: BSL-1.0
// Parts of block-cyclic matrices, and the workspaces of routines.
#pragma once
#include "ashlar/linalg/solver_call.hpp"
#include "ashlar/linalg/workspace_size.hpp"
#include <algorithm>
#include <iterator>
#include <vector>

namespace ashlar::linalg_detail {

inline constexpr char const* workspace_is_too_large =
    "ashlar::linalg: ScaLAPACK counts the elements of a workspace up to 2^31 - 1, and the routine needs more; use more "
    "ranks, or smaller blocks";

/// The elements of a block's panels of rows and of columns, and of the block: about the least workspace of any routine
/// here. ScaLAPACK wraps numbers around at 2^32, so a workspace may be too large though the routine asks for a small one.
template <class X>
index_t elements_of_panels(X const& x) {
  index_t const block = block_of_dimension(x.layout, 1);
  return block * (x.local_extents()[0] + x.local_extents()[1] + block);
}

/// The elements of the workspace that call(work, lwork) wants, or nothing if 32 bits cannot count them.
template <class T, class F>
std::optional<int> wanted_by(F const& call) {
  T best{};
  call(&best, -1);
  return workspace_size(best);
}

/// A vector of n elements. Pre: all ranks that share the matrix call it.
/// Error: out_of_memory on all of them if one has no room, of 0 bytes on ranks that have room. Else these would wait in
/// the library.
template <class T, class X>
std::vector<T> room_for(X const& x, int n) {
  auto const size = static_cast<std::size_t>(n);
  std::vector<T> room;
  bool has_room = true;
  try {
    comm_detail::resize_buffer(room, size);
  } catch (comm_detail::out_of_memory const&) {
    has_room = false;
  }
  if (!on_every_rank(x, has_room)) throw comm_detail::out_of_memory(has_room ? 0 : size * sizeof(T));
  return room;
}

/// The workspace of calls call(work, lwork), for the one that wants most. Empty on all ranks that share the matrix if it is
/// too large on one of them.
/// Pre: each call wants `least` or more.
template <class T, class X, class... F>
std::vector<T> workspace_of(X const& x, index_t least, F const&... calls) {
  std::optional<int> const sizes[]{wanted_by<T>(calls)...};
  bool fits = least <= INT_MAX;
  for (auto const& size : sizes) fits = fits && size;
  if (!on_every_rank(x, fits)) return {};
  return room_for<T>(x, **std::max_element(std::begin(sizes), std::end(sizes)));
}

template <class T, class F>
void run_in(std::vector<T>& work, F const& call) {
  call(work.data(), static_cast<int>(work.size()));
}

/// The size of a vector that has an element for each row of the matrix that ScaLAPACK sees.
template <class X>
std::size_t seen_rows(X const& x) {
  return static_cast<std::size_t>(x.local_extents()[1] + x.layout.dim[1].block + usual_block);
}

template <class T>
struct copy_corner_kernel {
  T const* from;
  T* to;
  index_t columns, from_columns;
  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = from[i / columns * from_columns + i % columns]; }
};

/// The first rows and columns of a block-cyclic matrix. They are the first ones of each shard, so nothing travels.
template <class X>
constexpr auto corner_of(X const& x, index_t rows, index_t columns) {
  using Y = std::remove_cvref_t<X>;
  auto y = plan_detail::allocate<element_t<Y>, layout_t<Y>>(x.mesh(), shape::of(rows, columns));
  if constexpr (on_real_ranks<Y>) {
    shape const own = y.local_extents();
    kernels_detail::for_elements(
        "ashlar::linalg::corner", typename Y::execution_space{}, own.size(),
        copy_corner_kernel<element_t<Y>>{tensor_detail::cells_of(x), tensor_detail::cells_of(y), own[1],
                                         x.local_extents()[1]});
  }
  return y;
}

/// The first numbers of a vector on every rank, as a replicated tensor.
template <class X, class R>
void fill_values(X const& values, std::vector<R> const& from) {
  host_shard const shard(values);
  std::copy_n(from.data(), values.extent(0), shard.data());
  shard.finish();
}

}  // namespace ashlar::linalg_detail
