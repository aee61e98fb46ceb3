// The cells of a shard with a halo, one dimension at a time: which cell of the domain each stored cell shows.
#pragma once
#include "ashlar/layout/split.hpp"

namespace ashlar {

/// What is beyond the domain. zero: 0. copy: the nearest cell. mirror: cell -1 is cell 0's value, so the period is 2n.
/// reflect: cell -1 is cell 1's. odd: cell -1 is minus cell 0's. periodic: cell -1 is cell n - 1's. given: values that
/// the program sets.
enum class edge : unsigned char { zero, copy, mirror, reflect, odd, periodic, given };

namespace layout_detail {

/// The room of one dimension: cells below and above the owned ones, and the edges of the domain.
struct halo_width {
  int lower = 0, upper = 0;
  edge below = edge::zero, above = edge::zero;
  friend constexpr bool operator==(halo_width const&, halo_width const&) = default;
};
struct halo_widths {
  halo_width dim[max_rank]{};
  friend constexpr bool operator==(halo_widths const&, halo_widths const&) = default;
};

/// True if the program sets cells beyond some edge.
constexpr bool has_given_cells(halo_widths const& w, int rank) {
  for (int d = 0; d < rank; ++d)
    if ((w.dim[d].below == edge::given && w.dim[d].lower > 0) || (w.dim[d].above == edge::given && w.dim[d].upper > 0))
      return true;
  return false;
}

/// The cell of the domain whose value a stored cell shows, times `sign`. `sign` is 0 for a cell that is 0. `given` cells
/// are the program's.
struct shown_cell {
  index_t cell = 0;
  int sign = 1;
  bool given = false;
};

/// The cell that index v shows, which may be beyond the domain of n cells.
/// Pre: n > 0.
ASHLAR_FUNCTION constexpr shown_cell cell_at(index_t v, index_t n, halo_width const& w) {
  if (v >= 0 && v < n) return {v};
  if (w.below == edge::periodic) return {(v % n + n) % n};
  edge const first = v < 0 ? w.below : w.above;
  if (first == edge::given) return {v, 1, true};
  int sign = 1;
  while (v < 0 || v >= n) {
    switch (v < 0 ? w.below : w.above) {
      case edge::copy:
        v = v < 0 ? 0 : n - 1;
        break;
      case edge::odd:
        sign = -sign;
        [[fallthrough]];
      case edge::mirror:
        v = v < 0 ? -1 - v : 2 * n - 1 - v;
        break;
      case edge::reflect:
        v = n == 1 ? 0 : v < 0 ? -v : 2 * (n - 1) - v;
        break;
      default:  // zero, or the given cells beyond the other edge, which nothing reads
        return {0, 0};
    }
  }
  return {v, sign};
}

/// Part i of a dimension of n cells, major to minor. Pre: the axes are not block-cyclic.
constexpr interval part_at(index_t n, axis_list const& axes, mesh_shape const& mesh, index_t i) {
  interval own{0, n};
  index_t below = parts(axes, mesh);
  for (int a = 0; a < axes.size; ++a) {
    int const size = mesh.size[axes[a]];
    below /= size;
    own = part_of(own, size, i / below);
    i %= below;
  }
  return own;
}
/// The part that owns a cell. Post: part_at(n, axes, mesh, part_with(n, axes, mesh, cell)) holds the cell.
constexpr index_t part_with(index_t n, axis_list const& axes, mesh_shape const& mesh, index_t cell) {
  interval own{0, n};
  index_t part = 0;
  for (int a = 0; a < axes.size; ++a) {
    int const size = mesh.size[axes[a]];
    index_t const i = owner_of(own, size, cell);
    own = part_of(own, size, i);
    part = part * size + i;
  }
  return part;
}
/// The part of a dimension that a rank owns.
constexpr index_t part_of_rank(axis_list const& axes, mesh_shape const& mesh, int rank) {
  index_t part = 0;
  for (int a = 0; a < axes.size; ++a) part = part * mesh.size[axes[a]] + mesh.coordinate(rank, axes[a]);
  return part;
}

/// One dimension of a shard with a halo: position p of the stored cells is index own.begin - width.lower + p.
struct stored_line {
  index_t n = 0;
  interval own;
  halo_width width;

  constexpr index_t size() const { return own.size() == 0 ? 0 : own.size() + width.lower + width.upper; }
  constexpr index_t first() const { return own.begin - width.lower; }
  constexpr index_t last() const { return own.end + width.upper; }
  /// The index at which a cell of the domain is stored: each shown cell is received, or owned, at one index only. The
  /// others are copies of it.
  /// Pre: some stored index shows the cell.
  constexpr index_t home_of(index_t cell) const {
    if (cell >= first() && cell < last()) return cell;
    index_t v = first();
    for (shown_cell c = cell_at(v, n, width); c.given || c.sign == 0 || c.cell != cell; c = cell_at(v, n, width)) ++v;
    return v;
  }
  /// The number of cells of the domain that the stored cells show.
  constexpr index_t shown() const {
    if (own.size() == 0) return 0;
    index_t const from = first() < 0 ? 0 : first(), to = last() > n ? n : last();
    index_t count = to - from;
    auto const beyond = [&](index_t begin, index_t end) {
      for (index_t v = begin; v < end; ++v) {
        shown_cell const c = cell_at(v, n, width);
        if (c.given || c.sign == 0 || (c.cell >= from && c.cell < to)) continue;
        count += home_of(c.cell) == v;
      }
    };
    beyond(first(), from);
    beyond(to, last());
    return count;
  }
};

/// The largest number of cells of other ranks that a rank's halo shows, over all ranks.
/// Cost: does not grow with the number of ranks for a dimension that one axis splits.
constexpr index_t most_halo_cells(shape const& global, layout_value const& layout, halo_widths const& widths,
                                  mesh_shape const& mesh, bool with_corners) {
  // Of each dimension: the numbers of owned cells, and the most that are shown beside as many. Sizes of parts differ by
  // at most 1 for each axis that splits.
  struct line_kind {
    index_t owned = 0, shown = 0;
  };
  line_kind kinds[max_rank][2 * max_axes]{};
  int count[max_rank]{};
  for (int d = 0; d < global.rank; ++d) {
    index_t const n = global[d], parts_of_d = parts(layout.dim[d], mesh);
    halo_width const& w = widths.dim[d];
    auto const visit = [&](index_t i) {
      stored_line const line{n, part_at(n, layout.dim[d], mesh, i), w};
      index_t const owned = line.own.size(), shown = line.shown();
      int k = 0;
      while (k < count[d] && kinds[d][k].owned != owned) ++k;
      if (k == count[d]) kinds[d][count[d]++] = {owned, shown};
      if (kinds[d][k].shown < shown) kinds[d][k].shown = shown;
      return line;
    };
    // Parts near the edges one by one. Between them the larger part receives more.
    index_t i = 0;
    index_t const full = part_at(n, layout.dim[d], mesh, 0).size();
    for (index_t between = 0; i < parts_of_d && between < 4096; ++i) {
      stored_line const line = visit(i);
      if (line.last() > n || line.own.end == n) break;
      if (line.first() < 0) continue;
      if (line.own.size() == full || layout.dim[d].size == 1) break;
      ++between;
    }
    index_t const low_end = i;
    for (i = parts_of_d - 1; i > low_end; --i) {
      stored_line const line = visit(i);
      if (line.own.size() != 0 && line.last() <= n) break;
      if (line.own.size() == 0 && n > 0) i = part_with(n, layout.dim[d], mesh, n - 1) + 1;
    }
  }
  index_t most = 0;
  for (int at[max_rank]{};;) {
    index_t own = 1, all = 1, faces = 0;
    for (int d = 0; d < global.rank; ++d) {
      own *= kinds[d][at[d]].owned;
      all *= kinds[d][at[d]].shown;
      index_t face = kinds[d][at[d]].shown - kinds[d][at[d]].owned;
      for (int e = 0; e < global.rank; ++e)
        if (e != d) face *= kinds[e][at[e]].owned;
      faces += face;
    }
    index_t const received = own == 0 ? 0 : with_corners ? all - own : faces;
    if (most < received) most = received;
    int d = 0;
    while (d < global.rank && ++at[d] == count[d]) at[d++] = 0;
    if (d == global.rank) return most;
  }
}

}  // namespace layout_detail

}  // namespace ashlar
