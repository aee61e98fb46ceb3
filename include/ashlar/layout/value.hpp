// A layout as a value: what rules and planner compute with, at compile time and at run time.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/meta/names.hpp"

namespace ashlar {

/// Axes as a set: bit a stands for axis a of the list of names that the value refers to.
using axis_mask = unsigned;

constexpr axis_mask mask_of(int axis) { return 1u << axis; }

/// Axes in an order: those of one dimension, major to minor. The first `cyclic` of them, together, assign the dimension's blocks round-robin,
/// in blocks of `block` elements; the others split what each rank then has into balanced pieces.
struct axis_list {
  int size = 0;
  signed char axis[max_axes]{};
  signed char cyclic = 0;
  unsigned short block = 0;  // 0 where none is block-cyclic

  constexpr int operator[](int i) const { return axis[i]; }
  constexpr axis_mask mask() const {
    axis_mask m = 0;
    for (int i = 0; i < size; ++i) m |= mask_of(axis[i]);
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
  /// Goes on as another list that this one begins does, by its next axis; by all block-cyclic ones, if they come next.
  /// Pre: begins(other) and size < other.size. Post: false, and nothing changed, where an axis is not among `usable`.
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
  /// Is this list the beginning of another (or equal to it), so that its pieces are whole unions of the other's?
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

/// One reduction of a partial layout and its axes. `op` is a position in a list of reductions; the first four
/// are sum, max, min and prod.
struct partial_reduction {
  int op = 0;
  axis_mask axes = 0;
  friend constexpr bool operator==(partial_reduction const&, partial_reduction const&) = default;
};

enum builtin_op : int { op_sum = 0, op_max = 1, op_min = 2, op_prod = 3 };

inline constexpr int max_levels = 4;

/// Largest number of block-cyclic dimensions of one layout.
inline constexpr int max_cyclic_dimensions = 4;

/// A layout as a value. Axes are positions in a list of names (a mesh's, or those that the operands use).
/// Shape: dim[d] holds the axes of dimension d, major to minor; reductions[l] the reductions, innermost first: level 0 is
/// reduced before level 1. An axis stands in at most one place; one that stands nowhere is replicated.
struct layout_value {
  int rank = 0;
  axis_list dim[max_rank]{};
  int levels = 0;
  partial_reduction reductions[max_levels]{};

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
  /// May a dimension be block-cyclic? It is, or fewer than max_cyclic_dimensions are.
  constexpr bool may_be_cyclic(int d) const {
    int others = 0;
    for (int e = 0; e < rank; ++e) others += e != d && dim[e].cyclic != 0;
    return others < max_cyclic_dimensions;
  }
  /// Dimension d goes on as a list that its own begins does, as axis_list::follow says.
  /// Post: false, and nothing changed, also if the list is block-cyclic and the dimension may not be.
  constexpr bool follow(int d, axis_list const& other, axis_mask usable) {
    return (!other.cyclic || may_be_cyclic(d)) && dim[d].follow(other, usable);
  }
  /// Makes the layout partial by `op` over more axes, outermost.
  constexpr void add_partial(int op, axis_mask axes) {
    if (!axes) return;
    if (levels == 0 || reductions[levels - 1].op != op) {
      if (levels == max_levels) throw "ashlar::partial: more than 4 kinds of reduction nest; reduce the innermost first";
      reductions[levels++] = {op, 0};
    }
    reductions[levels - 1].axes |= axes;
  }
  /// Removes axes from the reductions; levels that are then neighbours of one kind join.
  constexpr void drop_partial(axis_mask axes) {
    layout_value rest;
    for (int l = 0; l < levels; ++l) rest.add_partial(reductions[l].op, reductions[l].axes & ~axes);
    levels = rest.levels;
    for (int l = 0; l < max_levels; ++l) reductions[l] = rest.reductions[l];
  }
  /// Forget axes that shard.
  constexpr void drop_sharding(axis_mask axes) {
    for (int d = 0; d < rank; ++d) dim[d].remove(axes);
  }
  /// The same layout where some axes have size 1: they are named nowhere.
  constexpr layout_value without(axis_mask axes) const {
    layout_value v = *this;
    v.drop_sharding(axes);
    v.drop_partial(axes);
    return v;
  }
  friend constexpr bool operator==(layout_value const&, layout_value const&) = default;
};

/// A layout in one integer, a byte an axis: high half where it stands (0-7 the dimension, 8-14 a partial reduction of
/// kind minus 8, 15 nowhere), low half its order there (position within the dimension, plus 8 for a block-cyclic axis; or
/// level). With encode_blocks, types are rebuilt from it, since a class that holds an array is no safe template argument
/// (docs/decisions/literals).
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
    if (n == max_cyclic_dimensions) throw "ashlar::cyclic: a dimension is block-cyclic in more than 4 dimensions; split some of them evenly";
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

}  // namespace ashlar
