// SPDX-License-Identifier: BSL-1.0
// The global indices that a rank holds, for balanced nested splits and for block-cyclic dimensions.
#pragma once
#include "ashlar/layout/value.hpp"
#include "ashlar/mesh/mesh.hpp"

namespace ashlar {

/// Half-open interval of global indices.
struct interval {
  index_t begin = 0, end = 0;
  constexpr index_t size() const { return end - begin; }
  friend constexpr bool operator==(interval const&, interval const&) = default;
};

namespace layout_detail {

/// Part `r` of `whole`, which is split into `parts` parts. The first size % parts parts have one element more than the
/// others. No part is empty unless size < parts.
/// Post: the parts are disjoint, in order, and cover `whole`; their sizes differ by at most 1.
constexpr interval part_of(interval whole, index_t parts, index_t r) {
  index_t const floor = whole.size() / parts, more = whole.size() % parts;
  index_t const begin = whole.begin + r * floor + (r < more ? r : more);
  return {begin, begin + floor + (r < more ? 1 : 0)};
}

/// The part that owns index i.
/// Post: i is in part_of(whole, parts, owner_of(whole, parts, i)).
constexpr index_t owner_of(interval whole, index_t parts, index_t i) {
  index_t const floor = whole.size() / parts, more = whole.size() % parts, k = i - whole.begin;
  return k < more * (floor + 1) ? k / (floor + 1) : more + (k - more * (floor + 1)) / floor;
}

}  // namespace layout_detail

/// The global indices of one dimension that a rank holds, in order: the positions [begin, end) of a sequence. If block
/// is 0, the sequence is 0, 1, 2, ... Otherwise it consists of blocks of `block` indices that begin at shift, shift +
/// period, shift + 2 * period, ...
struct index_set {
  index_t begin = 0, end = 0;                // positions
  index_t block = 0, period = 0, shift = 0;  // if block is 0, position i is index i

  constexpr index_set() = default;
  constexpr index_set(interval const& i) : begin(i.begin), end(i.end) {}
  constexpr index_set(index_t first, index_t last) : begin(first), end(last) {}

  ASHLAR_FUNCTION constexpr index_t size() const { return end - begin; }
  /// The i-th index of the set, counted from 0.
  ASHLAR_FUNCTION constexpr index_t operator[](index_t i) const {
    index_t const at = begin + i;
    return block == 0 ? at : shift + at / block * period + at % block;
  }
  /// Position i of an index in the set, so that (*this)[i] == index, or -1 if the set lacks it.
  ASHLAR_FUNCTION constexpr index_t find(index_t index) const {
    index_t at = index;
    if (block != 0) {
      index_t const in_period = index % period - shift;
      if (in_period < 0 || in_period >= block) return -1;
      at = index / period * block + in_period;
    }
    return begin <= at && at < end ? at - begin : -1;
  }
  /// Number of indices of the set that are smaller than `index`.
  ASHLAR_FUNCTION constexpr index_t below(index_t index) const {
    index_t at = index;
    if (block != 0) {
      index_t const in_period = index % period - shift;
      at = index / period * block + (in_period < 0 ? 0 : in_period < block ? in_period : block);
    }
    return at < begin ? 0 : at < end ? at - begin : size();
  }
  /// Number of consecutive indices from the i-th on, up to the end of its block.
  constexpr index_t run(index_t i) const {
    index_t const at = begin + i, stop = block == 0 ? end : (at / block + 1) * block;
    return (stop < end ? stop : end) - at;
  }
  friend constexpr bool operator==(index_set const&, index_set const&) = default;
};

namespace layout_detail {

/// Calls f(length, i, j) for each run of consecutive common indices of two sets, in order. The run begins at the i-th
/// index of `a` and the j-th index of `b`.
template <class F>
constexpr void for_each_common_run(index_set const& a, index_set const& b, F&& f) {
  for (index_t i = 0, j = 0; i < a.size() && j < b.size();) {
    index_t const at = a[i], bt = b[j], run_a = a.run(i), run_b = b.run(j);
    index_t const begin = at < bt ? bt : at, end = at + run_a < bt + run_b ? at + run_a : bt + run_b;
    if (begin < end) f(end - begin, i + (begin - at), j + (begin - bt));
    if (at + run_a <= end || at + run_a <= bt) i += run_a;
    if (bt + run_b <= end || bt + run_b <= at) j += run_b;
  }
}

/// The common indices of two sets: their number, and the position `at` of the first one in the first set. `adjacent` is
/// true if their positions in the first set have no gaps.
struct overlap {
  index_t size = 0, at = 0;
  bool adjacent = true;
};

constexpr overlap overlap_of(index_set const& a, index_set const& b) {
  overlap o;
  for_each_common_run(a, b, [&](index_t length, index_t i, index_t) {
    if (o.size == 0) o.at = i;
    o.adjacent = o.adjacent && i == o.at + o.size;
    o.size += length;
  });
  return o;
}

/// Number of common indices of two sets, in constant time unless both are block-cyclic by different blocks or periods.
constexpr index_t common_count(index_set const& a, index_set const& b) {
  if (b.block == 0) return a.below(b.end) - a.below(b.begin);
  if (a.block == 0) return b.below(a.end) - b.below(a.begin);
  if (a.block != b.block || a.period != b.period) return overlap_of(a, b).size;
  index_t const begin = a.begin < b.begin ? b.begin : a.begin, end = a.end < b.end ? a.end : b.end;
  return a.shift == b.shift && begin < end ? end - begin : 0;
}

/// The global indices that a rank holds of a dimension of n elements. The block-cyclic axes assign blocks round-robin;
/// then each further axis splits the indices of a rank.
constexpr index_set local_indices(index_t n, axis_list const& axes, mesh_shape const& mesh, int rank) {
  index_set held{0, n};
  index_t ranks = 1, position = 0;
  for (int i = 0; i < axes.cyclic; ++i) {
    ranks *= mesh.size[axes[i]];
    position = position * mesh.size[axes[i]] + mesh.coordinate(rank, axes[i]);
  }
  if (ranks > 1) {
    index_t const block = axes.block, period = block * ranks, rest = n % period - position * block;
    held = {0, n / period * block + (rest < 0 ? 0 : rest < block ? rest : block)};
    held.block = block;
    held.period = period;
    held.shift = position * block;
  }
  for (int i = axes.cyclic; i < axes.size; ++i) {
    interval const piece = part_of({held.begin, held.end}, mesh.size[axes[i]], mesh.coordinate(rank, axes[i]));
    held.begin = piece.begin;
    held.end = piece.end;
  }
  return held;
}

/// Number of parts into which a list of axes splits a dimension.
constexpr index_t parts(axis_list const& axes, mesh_shape const& mesh) {
  index_t n = 1;
  for (int i = 0; i < axes.size; ++i) n *= mesh.size[axes[i]];
  return n;
}

}  // namespace layout_detail

/// A region of a global array: one set of indices per dimension.
struct region {
  int rank = 0;
  index_set dim[layout_detail::max_rank]{};
  constexpr index_t size() const {
    index_t n = 1;
    for (int d = 0; d < rank; ++d) n *= dim[d].size();
    return n;
  }
  constexpr shape extents() const {
    shape s;
    s.rank = rank;
    for (int d = 0; d < rank; ++d) s[d] = dim[d].size();
    return s;
  }
  friend constexpr bool operator==(region const&, region const&) = default;
};

/// The region of a global array that a rank's shard covers.
/// Post: if the layout is not partial, each element is in the shards of exactly those ranks that differ only along the
/// replicated axes.
/// Example: local_region(shape::of(10, 3), v, mesh, 1) is rows 3 to 5 and all columns, if v splits rows over 4 ranks
constexpr region local_region(shape const& global, layout_value const& layout, mesh_shape const& mesh, int rank) {
  region r;
  r.rank = global.rank;
  for (int d = 0; d < global.rank; ++d) r.dim[d] = layout_detail::local_indices(global[d], layout.dim[d], mesh, rank);
  return r;
}

/// Extents of a rank's shard.
/// Example: local_shape(shape::of(10, 3), v, mesh, 1) is 3 x 3, if v splits rows over 4 ranks
constexpr shape local_shape(shape const& global, layout_value const& layout, mesh_shape const& mesh, int rank) {
  return local_region(global, layout, mesh, rank).extents();
}

namespace layout_detail {

/// True if a dimension of the region is block-cyclic.
constexpr bool is_cyclic(region const& r) {
  for (int d = 0; d < r.rank; ++d)
    if (r.dim[d].block != 0) return true;
  return false;
}

/// The set with `by` added to each index.
constexpr index_set moved(index_set s, index_t by) {
  if (s.block != 0)
    s.shift += by;
  else
    s.begin += by, s.end += by;
  return s;
}
constexpr region moved(region r, shape const& by) {
  for (int d = 0; d < r.rank; ++d) r.dim[d] = moved(r.dim[d], by[d]);
  return r;
}
/// All elements of an array.
constexpr region whole_region(shape const& extents) {
  region r;
  for (r.rank = 0; r.rank < extents.rank; ++r.rank) r.dim[r.rank] = {0, extents[r.rank]};
  return r;
}

/// Number of elements that two regions have in common.
constexpr index_t common_size(region const& a, region const& b) {
  index_t n = 1;
  for (int d = 0; d < a.rank && n != 0; ++d) n *= common_count(a.dim[d], b.dim[d]);
  return n;
}

/// Number of elements of the largest shard, which rank 0 holds.
constexpr index_t largest_shard(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  return local_shape(global, layout, mesh, 0).size();
}

/// True if two layouts are partial alike and put every element on the same ranks. Axes of size 1 split nothing, and an
/// array without elements is on no rank.
constexpr bool same_placement(shape const& global, layout_value a, layout_value b, mesh_shape const& mesh) {
  axis_mask trivial = 0;
  for (int i = 0; i < mesh.axes; ++i)
    if (mesh.size[i] == 1) trivial |= mask_of(i);
  a = a.without(trivial);
  b = b.without(trivial);
  if (a.levels != b.levels) return false;
  for (int l = 0; l < a.levels; ++l)
    if (a.reductions[l] != b.reductions[l]) return false;
  if (global.size() == 0) return true;
  for (int d = 0; d < global.rank; ++d)
    if (a.dim[d] != b.dim[d]) return false;
  return true;
}

/// True if a list of axes splits n elements into parts of equal size, and into full blocks if it is block-cyclic.
/// Example: 10 elements are even over an axis of 2 ranks, and not over one of 4
constexpr bool is_even(index_t n, axis_list const& axes, mesh_shape const& mesh) {
  index_t cyclic = 1;
  for (int i = 0; i < axes.cyclic; ++i) cyclic *= mesh.size[axes[i]];
  return n % parts(axes, mesh) == 0 && (cyclic == 1 || n % (cyclic * axes.block) == 0);
}

/// True if every dimension has parts of equal size only. Then nested splits equal flat ones, and one flat collective
/// over several axes can be used.
constexpr bool is_even(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  for (int d = 0; d < global.rank; ++d)
    if (!is_even(global[d], layout.dim[d], mesh)) return false;
  return true;
}
}  // namespace layout_detail

}  // namespace ashlar
