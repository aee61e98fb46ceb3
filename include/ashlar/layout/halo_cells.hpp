// SPDX-License-Identifier: BSL-1.0
// The cells of a shard with a halo, one dimension at a time: which cell of the domain each stored cell shows.
#pragma once
#include "ashlar/layout/split.hpp"

namespace ashlar {

/// What is beyond the domain. zero: 0. copy: the nearest cell. mirror: cell -1 is cell 0's value, so the period is 2n.
/// reflect: cell -1 is cell 1's. odd: cell -1 is minus cell 0's. periodic: cell -1 is cell n - 1's. given: values that
/// the program sets.
enum class boundary : unsigned char { zero, copy, mirror, reflect, odd, periodic, given };

namespace layout_detail {

/// The room of one dimension: cells below and above the owned ones, and the edges of the domain.
struct halo_width {
  int lower = 0, upper = 0;
  boundary below = boundary::zero, above = boundary::zero;
  friend constexpr bool operator==(halo_width const&, halo_width const&) = default;
};
struct halo_widths {
  halo_width dim[max_rank]{};
  friend constexpr bool operator==(halo_widths const&, halo_widths const&) = default;
};

/// True if the program sets cells beyond some boundary.
constexpr bool has_given_cells(halo_widths const& w, int rank) {
  for (int d = 0; d < rank; ++d)
    if ((w.dim[d].below == boundary::given && w.dim[d].lower > 0) ||
        (w.dim[d].above == boundary::given && w.dim[d].upper > 0))
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
  if (w.below == boundary::periodic) return {(v % n + n) % n};
  boundary const first = v < 0 ? w.below : w.above;
  if (first == boundary::given) return {v, 1, true};
  int sign = 1;
  while (v < 0 || v >= n) {
    switch (v < 0 ? w.below : w.above) {
      case boundary::copy:
        v = v < 0 ? 0 : n - 1;
        break;
      case boundary::odd:
        sign = -sign;
        [[fallthrough]];
      case boundary::mirror:
        v = v < 0 ? -1 - v : 2 * n - 1 - v;
        break;
      case boundary::reflect:
        v = n == 1 ? 0 : v < 0 ? -v : 2 * (n - 1) - v;
        break;
      case boundary::zero:
      case boundary::periodic:
      case boundary::given:  // beyond the other edge, and nothing reads them
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
  /// The number of parts that own the shown cells, this one included.
  constexpr index_t owners(axis_list const& axes, mesh_shape const& mesh) const {
    if (own.size() == 0) return 0;
    index_t const from = first() < 0 ? 0 : first(), to = last() > n ? n : last();
    index_t const low = part_with(n, axes, mesh, from), high = part_with(n, axes, mesh, to - 1);
    // If there are more parts than cells, a part is a cell or empty.
    index_t count = n < parts(axes, mesh) ? to - from : high - low + 1;
    auto const owner_at = [&](index_t v) {
      shown_cell const c = cell_at(v, n, width);
      return c.given || c.sign == 0 ? low : part_with(n, axes, mesh, c.cell);
    };
    auto const beyond = [&](index_t begin, index_t end) {
      for (index_t v = begin, before = low; v < end; ++v) {
        index_t const q = owner_at(v);
        if (q != before && (q < low || q > high)) {
          index_t u = first();
          while (u < v && ((u >= from && u < to) || owner_at(u) != q)) ++u;
          count += u == v;
        }
        before = q;
      }
    };
    beyond(first(), from);
    beyond(to, last());
    return count;
  }
};

/// What an exchange of halos brings to a rank: the cells of other ranks, each once, and the number of ranks that own them.
struct halo_traffic {
  index_t cells = 0, neighbours = 0;
  friend constexpr bool operator==(halo_traffic const&, halo_traffic const&) = default;
};
/// The halo of the rank that receives most cells. Of several such ranks it is the one with most neighbours.
/// Cost: does not grow with the number of ranks for a dimension that one axis splits. If several axes split it into more
///   than 4096 parts, some of which are smaller than a width, the neighbours are those of the parts near the edges.
constexpr halo_traffic most_halo_traffic(shape const& global, layout_value const& layout, halo_widths const& widths,
                                         mesh_shape const& mesh, bool with_corners) {
  // Of each dimension: the numbers of owned cells, and the most that are shown beside as many, by the most parts. Sizes
  // of parts differ by at most 1.
  struct line_kind {
    index_t owned = 0, shown = 0, owners = 0;
  };
  line_kind kinds[max_rank][2 * max_axes]{};
  int count[max_rank]{};
  for (int d = 0; d < global.rank; ++d) {
    index_t const n = global[d], parts_of_d = parts(layout.dim[d], mesh);
    halo_width const& w = widths.dim[d];
    auto const visit = [&](index_t i) {
      stored_line const line{n, part_at(n, layout.dim[d], mesh, i), w};
      line_kind const found{line.own.size(), line.shown(), line.owners(layout.dim[d], mesh)};
      int k = 0;
      while (k < count[d] && kinds[d][k].owned != found.owned) ++k;
      if (k == count[d]) ++count[d];
      line_kind& most = kinds[d][k];
      if (most.shown < found.shown || (most.shown == found.shown && most.owners < found.owners)) most = found;
      return line;
    };
    // Parts near the edges one by one. Between them the larger part receives more. All have one neighbour on a side if
    // no part is smaller than the width. If there are more parts than cells, all have as many as the width.
    index_t const smallest = n / parts_of_d, wider = w.lower < w.upper ? w.upper : w.lower;
    bool const alike = smallest == 0 || wider <= smallest, by_one_axis = layout.dim[d].size == 1;
    index_t i = 0;
    index_t const full = part_at(n, layout.dim[d], mesh, 0).size();
    for (index_t between = 0; i < parts_of_d && between < 4096; ++i) {
      stored_line const line = visit(i);
      if (line.last() > n || line.own.end == n) break;
      if (line.first() < 0) continue;
      if ((line.own.size() == full && alike) || by_one_axis) break;
      ++between;
    }
    if (!alike && by_one_axis) {  // between parts of n / parts + 1 and of n / parts cells
      index_t const larger = n % parts_of_d, reach = wider / smallest + 1;
      for (index_t k = larger < reach ? 0 : larger - reach; k < larger + reach && k < parts_of_d; ++k) visit(k);
    }
    index_t const low_end = i;
    for (i = parts_of_d - 1; i > low_end; --i) {
      stored_line const line = visit(i);
      if (line.own.size() != 0 && line.last() <= n) break;
      if (line.own.size() != 0 || n == 0) continue;
      // Of several axes, parts between others may be empty, too.
      if (index_t const end = part_with(n, layout.dim[d], mesh, n - 1) + 1; i > end) i = end;
    }
  }
  halo_traffic most;
  for (int at[max_rank]{};;) {
    index_t own = 1, all = 1, faces = 0, owners = 1, beside = 0;
    for (int d = 0; d < global.rank; ++d) {
      line_kind const& line = kinds[d][at[d]];
      own *= line.owned;
      all *= line.shown;
      owners *= line.owners;
      beside += line.owners - 1;
      index_t face = line.shown - line.owned;
      for (int e = 0; e < global.rank; ++e)
        if (e != d) face *= kinds[e][at[e]].owned;
      faces += face;
    }
    if (own != 0) {
      halo_traffic const here{with_corners ? all - own : faces, with_corners ? owners - 1 : beside};
      if (most.cells < here.cells || (most.cells == here.cells && most.neighbours < here.neighbours)) most = here;
    }
    int d = 0;
    while (d < global.rank && ++at[d] == count[d]) at[d++] = 0;
    if (d == global.rank) return most;
  }
}

}  // namespace layout_detail

}  // namespace ashlar
