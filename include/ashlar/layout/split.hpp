// Balanced, nested splits: which global indices a rank holds.
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

/// Global indices of one dimension of n elements that a rank holds: split by the first axis, each piece by the next.
constexpr interval local_interval(index_t n, axis_list const& axes, mesh_shape const& mesh, int rank) {
  interval piece{0, n};
  for (int i = 0; i < axes.size; ++i) piece = part_of(piece, mesh.size[axes[i]], mesh.coordinate(rank, axes[i]));
  return piece;
}

/// Pieces that a list of axes cuts a dimension into.
constexpr index_t parts(axis_list const& axes, mesh_shape const& mesh) {
  index_t n = 1;
  for (int i = 0; i < axes.size; ++i) n *= mesh.size[axes[i]];
  return n;
}

/// A region of a global array: one interval a dimension.
struct region {
  int rank = 0;
  interval dim[max_rank]{};
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

constexpr region intersect(region const& a, region const& b) {
  region r;
  r.rank = a.rank;
  for (int d = 0; d < a.rank; ++d) {
    index_t const begin = a.dim[d].begin > b.dim[d].begin ? a.dim[d].begin : b.dim[d].begin;
    index_t const end = a.dim[d].end < b.dim[d].end ? a.dim[d].end : b.dim[d].end;
    r.dim[d] = {begin, end < begin ? begin : end};
  }
  return r;
}

/// The region of a global array that a rank's shard covers.
/// Post: for a layout that pends nothing, every element lies in the shards of exactly the ranks that differ along the
/// replicated axes.
constexpr region local_region(shape const& global, layout_value const& layout, mesh_shape const& mesh, int rank) {
  region r;
  r.rank = global.rank;
  for (int d = 0; d < global.rank; ++d) r.dim[d] = local_interval(global[d], layout.dim[d], mesh, rank);
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

/// Are all pieces of every dimension equal? Then flattened collectives fit, and nested splits equal flat ones.
constexpr bool is_even(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  for (int d = 0; d < global.rank; ++d)
    if (global[d] % parts(layout.dim[d], mesh) != 0) return false;
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
    if (a.pending[l] != b.pending[l]) return false;
  if (global.size() == 0) return true;
  for (int d = 0; d < global.rank; ++d)
    if (a.dim[d] != b.dim[d]) return false;
  return true;
}

}  // namespace ashlar
