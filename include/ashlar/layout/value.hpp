// SPDX-License-Identifier: BSL-1.0
// A layout as a value, for the computations of rules and planner at compile time and at run time.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/meta/names.hpp"

namespace ashlar {

/// A set of axes: bit a is axis a of the list of names that the layout_value refers to.
using axis_mask = unsigned;

namespace layout_detail {

constexpr axis_mask mask_of(int axis) { return 1u << axis; }

/// The axes of one dimension, major to minor. The first `cyclic` axes, together, assign blocks of `block` elements
/// round-robin to their ranks. The others split the indices that each rank then has into balanced parts.
struct axis_list {
  int size = 0;
  signed char axis[max_axes]{};
  signed char cyclic = 0;
  unsigned short block = 0;  // 0 if no axis is block-cyclic

  constexpr int operator[](int i) const { return axis[i]; }
  constexpr axis_mask mask() const { return mask_from(0); }
  /// The axes from position `first` on.
  constexpr axis_mask mask_from(int first) const {
    axis_mask m = 0;
    for (int i = first; i < size; ++i) m |= mask_of(axis[i]);
    return m;
  }
  /// The block-cyclic axes.
  constexpr axis_mask cyclic_axes() const {
    axis_mask m = 0;
    for (int i = 0; i < cyclic; ++i) m |= mask_of(axis[i]);
    return m;
  }
  constexpr bool contains(int a) const { return mask() >> a & 1u; }
  constexpr void push(int a) { axis[size++] = static_cast<signed char>(a); }
  constexpr void remove(axis_mask gone) {
    axis_list rest;
    for (int i = 0; i < size; ++i) {
      if (gone >> axis[i] & 1u) continue;
      rest.push(axis[i]);
      if (i < cyclic) ++rest.cyclic, rest.block = block;
    }
    *this = rest;
  }
  /// Extends this prefix of `other` by the next axis of `other`, or by all block-cyclic axes at once if they come next.
  /// Pre: begins(other) and size < other.size.
  /// Post: false, and nothing changed, if a new axis is not in `usable`.
  constexpr bool follow(axis_list const& other, axis_mask usable) {
    axis_list next = *this;
    do next.push(other.axis[next.size]);
    while (next.size < other.cyclic);
    next.cyclic = other.cyclic;
    next.block = other.block;
    if (next.mask() & ~mask() & ~usable) return false;
    *this = next;
    return true;
  }
  /// True if this list is a prefix of another or equal to it. Then each of its parts is a union of parts of the other.
  constexpr bool begins(axis_list const& other) const {
    if (size > other.size || (size != 0 && (cyclic != other.cyclic || block != other.block))) return false;
    for (int i = 0; i < size; ++i)
      if (axis[i] != other.axis[i]) return false;
    return true;
  }
  /// True if removing these axes leaves a prefix of the list. Block-cyclic axes can only be removed together.
  constexpr bool may_lose(axis_mask gone) const {
    axis_list rest = *this;
    rest.remove(gone);
    return rest.begins(*this);
  }
  friend constexpr bool operator==(axis_list const&, axis_list const&) = default;
};

/// One reduction of a partial layout and its axes. `op` is a position in a list of reductions, whose first four are
/// sum, max, min and prod.
struct partial_reduction {
  int op = 0;
  axis_mask axes = 0;
  friend constexpr bool operator==(partial_reduction const&, partial_reduction const&) = default;
};

enum builtin_op : int { op_sum = 0, op_max = 1, op_min = 2, op_prod = 3 };

inline constexpr int max_levels = 4;

/// Largest number of block-cyclic dimensions of one layout.
inline constexpr int max_cyclic_dimensions = 4;

}  // namespace layout_detail

/// A layout as a value. Axes are positions in a list of names: the mesh's names, or the names that the operands use.
/// Shape: dim[d] holds the axes of dimension d, major to minor; reductions[l] holds the reductions, innermost first:
/// level 0 is reduced before level 1. An axis occurs at most once. Over an axis that does not occur the tensor is
/// replicated.
struct layout_value {
  int rank = 0;
  layout_detail::axis_list dim[layout_detail::max_rank]{};
  int levels = 0;
  layout_detail::partial_reduction reductions[layout_detail::max_levels]{};

  /// Axes that shard a dimension.
  constexpr axis_mask sharding() const {
    axis_mask m = 0;
    for (int d = 0; d < rank; ++d) m |= dim[d].mask();
    return m;
  }
  /// Axes over which the tensor is partial.
  constexpr axis_mask partial() const {
    axis_mask m = 0;
    for (int l = 0; l < levels; ++l) m |= reductions[l].axes;
    return m;
  }
  constexpr axis_mask named() const { return sharding() | partial(); }
  /// Dimension that an axis shards, or -1.
  constexpr int dim_of(int a) const {
    for (int d = 0; d < rank; ++d)
      if (dim[d].contains(a)) return d;
    return -1;
  }
  /// Level of the reduction over an axis, or -1.
  constexpr int level_of(int a) const {
    for (int l = 0; l < levels; ++l)
      if (reductions[l].axes >> a & 1u) return l;
    return -1;
  }
  /// True if dimension d can be block-cyclic: fewer than max_cyclic_dimensions other dimensions are.
  constexpr bool may_be_cyclic(int d) const {
    int others = 0;
    for (int e = 0; e < rank; ++e) others += e != d && dim[e].cyclic != 0;
    return others < layout_detail::max_cyclic_dimensions;
  }
  /// Extends the list of dimension d as axis_list::follow does.
  /// Post: false, and nothing changed, also if `other` is block-cyclic and the dimension cannot be.
  constexpr bool follow(int d, layout_detail::axis_list const& other, axis_mask usable) {
    return (!other.cyclic || may_be_cyclic(d)) && dim[d].follow(other, usable);
  }
  /// Makes the layout partial by `op` over more axes, outermost.
  constexpr void add_partial(int op, axis_mask axes) {
    if (!axes) return;
    if (levels == 0 || reductions[levels - 1].op != op) {
      if (levels == layout_detail::max_levels)
        throw "ashlar::partial: more than 4 kinds of reduction nest; reduce the innermost first";
      reductions[levels++] = {op, 0};
    }
    reductions[levels - 1].axes |= axes;
  }
  /// Removes axes from the reductions. Neighbouring levels of the same reduction are then joined.
  constexpr void drop_partial(axis_mask axes) {
    layout_value rest;
    for (int l = 0; l < levels; ++l) rest.add_partial(reductions[l].op, reductions[l].axes & ~axes);
    levels = rest.levels;
    for (int l = 0; l < layout_detail::max_levels; ++l) reductions[l] = rest.reductions[l];
  }
  /// Removes axes from the dimensions.
  constexpr void drop_sharding(axis_mask axes) {
    for (int d = 0; d < rank; ++d) dim[d].remove(axes);
  }
  /// The layout without some axes. It describes the same shards if these axes have size 1.
  constexpr layout_value without(axis_mask axes) const {
    layout_value v = *this;
    v.drop_sharding(axes);
    v.drop_partial(axes);
    return v;
  }
  friend constexpr bool operator==(layout_value const&, layout_value const&) = default;
};

namespace layout_detail {

/// A layout as one integer, with 1 byte per axis. The high half of the byte is the use of the axis: 0-7 is the
/// dimension that it shards; 8-14 is 8 + `op` of its reduction; 15 is no use. The low half is its order there: the
/// position in the dimension's list (plus 8 for a block-cyclic axis), or the level of the reduction. Layout types are
/// rebuilt from encode and encode_blocks, because a class with an array is not a safe template argument
/// (docs/decisions/literals.md).
constexpr unsigned long long encode(layout_value const& v) {
  unsigned long long code = ~0ull;
  auto put = [&](int axis, unsigned place, int order) {
    code &= ~(0xffull << 8 * axis);
    code |= static_cast<unsigned long long>(place << 4 | static_cast<unsigned>(order)) << 8 * axis;
  };
  for (int d = 0; d < v.rank; ++d)
    for (int i = 0; i < v.dim[d].size; ++i) put(v.dim[d][i], static_cast<unsigned>(d), i < v.dim[d].cyclic ? i + 8 : i);
  for (int l = 0; l < v.levels; ++l)
    for (int a = 0; a < max_axes; ++a)
      if (v.reductions[l].axes >> a & 1u) put(a, 8u + static_cast<unsigned>(v.reductions[l].op), l);
  return code;
}

/// The block sizes of the dimensions that are block-cyclic, in order, 16 bits each.
constexpr unsigned long long encode_blocks(layout_value const& v) {
  unsigned long long blocks = 0;
  int n = 0;
  for (int d = 0; d < v.rank; ++d) {
    if (!v.dim[d].block) continue;
    if (n == max_cyclic_dimensions)
      throw "ashlar::cyclic: a dimension is block-cyclic in more than 4 dimensions; split some of them evenly";
    blocks |= static_cast<unsigned long long>(v.dim[d].block) << 16 * n++;
  }
  return blocks;
}

constexpr layout_value decode(unsigned long long code, unsigned long long blocks, int rank) {
  layout_value v;
  v.rank = rank;
  for (int order = 0; order < max_axes; ++order)
    for (int a = 0; a < max_axes; ++a) {
      unsigned const byte = code >> 8 * a & 0xff, place = byte >> 4;
      if (place == 15 || static_cast<int>(byte & 7) != order) continue;
      if (place < 8) {
        v.dim[place].push(a);
        if (byte & 8u) ++v.dim[place].cyclic;
      } else {
        v.add_partial(static_cast<int>(place) - 8, mask_of(a));
      }
    }
  if (blocks)
    for (int d = 0; d < rank; ++d)
      if (v.dim[d].cyclic) {
        v.dim[d].block = static_cast<unsigned short>(blocks & 0xffff);
        blocks >>= 16;
      }
  return v;
}

}  // namespace layout_detail

}  // namespace ashlar
