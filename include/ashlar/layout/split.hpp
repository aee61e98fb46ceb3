// Balanced, nested splits, and block-cyclic dimensions: which global indices a rank holds.
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

/// Part `r` of `whole` cut into `parts` pieces: the first size % parts pieces hold one more. No piece is empty unless
/// size < parts.
/// Post: the pieces are disjoint, in order, and cover `whole`; their sizes differ by at most 1.
constexpr interval part_of(interval whole, index_t parts, index_t r) {
  index_t const floor = whole.size() / parts, more = whole.size() % parts;
  index_t const begin = whole.begin + r * floor + (r < more ? r : more);
  return {begin, begin + floor + (r < more ? 1 : 0)};
}

/// The part that owns index i. Post: i lies in part_of(whole, parts, owner_of(whole, parts, i)).
constexpr index_t owner_of(interval whole, index_t parts, index_t i) {
  index_t const floor = whole.size() / parts, more = whole.size() % parts, k = i - whole.begin;
  return k < more * (floor + 1) ? k / (floor + 1) : more + (k - more * (floor + 1)) / floor;
}

/// Global indices of one dimension that a rank holds, in order: those at the positions [begin, end) of an interval, or of
/// blocks that lie `period` apart, the first of them at `shift`.
struct index_set {
  index_t begin = 0, end = 0;                // positions
  index_t block = 0, period = 0, shift = 0;  // block 0: position i is index i

  constexpr index_set() = default;
  constexpr index_set(interval const& i) : begin(i.begin), end(i.end) {}
  constexpr index_set(index_t first, index_t last) : begin(first), end(last) {}

  ASHLAR_FUNCTION constexpr index_t size() const { return end - begin; }
  /// Index number i, from 0.
  ASHLAR_FUNCTION constexpr index_t operator[](index_t i) const {
    index_t const at = begin + i;
    return block == 0 ? at : shift + at / block * period + at % block;
  }
  /// The number of an index, or -1 where it is none of these.
  ASHLAR_FUNCTION constexpr index_t find(index_t index) const {
    index_t at = index;
    if (block != 0) {
      index_t const in_period = index % period - shift;
      if (in_period < 0 || in_period >= block) return -1;
      at = index / period * block + in_period;
    }
    return begin <= at && at < end ? at - begin : -1;
  }
  /// Indices from number i on that follow one another without a gap.
  constexpr index_t run(index_t i) const {
    index_t const at = begin + i, stop = block == 0 ? end : (at / block + 1) * block;
    return (stop < end ? stop : end) - at;
  }
  friend constexpr bool operator==(index_set const&, index_set const&) = default;
};

/// Calls f(length, i, j) for each run of indices that two sets have in common, in order: it begins at number i of the one
/// and number j of the other.
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

/// What two sets have in common: how many indices, and whether they are neighbours in the first, from its number `at` on.
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

/// Global indices of one dimension of n elements that a rank holds: blocks assigned round-robin by the block-cyclic axes, then split by
/// each further axis.
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

/// Pieces that a list of axes cuts a dimension into.
constexpr index_t parts(axis_list const& axes, mesh_shape const& mesh) {
  index_t n = 1;
  for (int i = 0; i < axes.size; ++i) n *= mesh.size[axes[i]];
  return n;
}

/// A region of a global array: indices of each dimension.
struct region {
  int rank = 0;
  index_set dim[max_rank]{};
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

/// Are block-cyclic dimensions in some dimension?
constexpr bool is_cyclic(region const& r) {
  for (int d = 0; d < r.rank; ++d)
    if (r.dim[d].block != 0) return true;
  return false;
}

/// Elements that two regions have in common.
constexpr index_t common_size(region const& a, region const& b) {
  index_t n = 1;
  for (int d = 0; d < a.rank && n != 0; ++d) n *= overlap_of(a.dim[d], b.dim[d]).size;
  return n;
}

/// The region of a global array that a rank's shard covers.
/// Post: for a layout that is not partial, every element lies in the shards of exactly the ranks that differ along the
/// replicated axes.
constexpr region local_region(shape const& global, layout_value const& layout, mesh_shape const& mesh, int rank) {
  region r;
  r.rank = global.rank;
  for (int d = 0; d < global.rank; ++d) r.dim[d] = local_indices(global[d], layout.dim[d], mesh, rank);
  return r;
}

/// Extents of a rank's shard.
constexpr shape local_shape(shape const& global, layout_value const& layout, mesh_shape const& mesh, int rank) {
  return local_region(global, layout, mesh, rank).extents();
}

/// Elements of the largest shard, which is that of rank 0.
constexpr index_t largest_shard(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  return local_shape(global, layout, mesh, 0).size();
}

/// Does a list of axes cut n elements into pieces of equal size, and full blocks if it is block-cyclic?
constexpr bool is_even(index_t n, axis_list const& axes, mesh_shape const& mesh) {
  index_t cyclic = 1;
  for (int i = 0; i < axes.cyclic; ++i) cyclic *= mesh.size[axes[i]];
  return n % parts(axes, mesh) == 0 && (cyclic == 1 || n % (cyclic * axes.block) == 0);
}
/// Are all pieces of every dimension equal? Then flattened collectives fit, and nested splits equal flat ones.
constexpr bool is_even(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  for (int d = 0; d < global.rank; ++d)
    if (!is_even(global[d], layout.dim[d], mesh)) return false;
  return true;
}

/// Do two layouts put every element on the same ranks? Axes of size 1 cut nothing, and an array
/// without elements lies nowhere.
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

}  // namespace ashlar
