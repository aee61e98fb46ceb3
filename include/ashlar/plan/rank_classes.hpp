// SPDX-License-Identifier: BSL-1.0
// Classes of ranks whose shards have equal extents: costs of large meshes are counted class by class.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/step.hpp"

namespace ashlar::plan_detail {

// The ranks of a mesh in classes. Ranks of one class have shards of equal extents in every layout that was added. The
// coordinates of each axis are cut into intervals, and a class is a product of intervals. The parts of a split have few
// different sizes, so there are few classes, whatever the sizes of the axes.
class rank_classes {
 public:
  constexpr explicit rank_classes(mesh_shape const& mesh) : mesh_(mesh), classes_(mesh) {
    for (int a = 0; a < mesh.axes; ++a) {
      classes_.size[a] = 1;
      begin_[a][1] = mesh.size[a];
    }
  }

  constexpr void add(shape const& global, layout_value const& layout) {
    for (int d = 0; d < global.rank; ++d) add(global[d], layout.dim[d]);
  }

  // The classes as a mesh: its coordinates count the intervals of each axis.
  constexpr mesh_shape const& classes() const { return classes_; }
  // The first rank of a class.
  constexpr int rank(int c) const {
    int r = 0;
    for (int a = 0; a < mesh_.axes; ++a) r = r * mesh_.size[a] + begin_[a][classes_.coordinate(c, a)];
    return r;
  }
  // Number of ranks of a class that differ only along some axes.
  constexpr index_t ranks(int c, axis_mask axes) const {
    index_t n = 1;
    for (int a = 0; a < mesh_.axes; ++a)
      if (axes >> a & 1u) n *= length(c, a);
    return n;
  }

  // The largest f(rank) of all ranks, or 0 if that is larger.
  // Pre: within a class f depends only on the coordinates along `varying`; limit(rank) is the same for all ranks of a
  // class, and at least f(rank).
  template <class F, class Limit>
  constexpr index_t largest(axis_mask varying, F const& f, Limit const& limit) const {
    index_t most = 0;
    for (int c = 0, n = classes_.ranks(); c < n; ++c) {
      int const first = rank(c);
      index_t const at_most = limit(first), all = ranks(c, varying);
      // Steps by a prime number that no axis has as a factor visit each rank once. Far ranks come early, and such ranks
      // often have no element in common.
      index_t const step = 2654435761 % all;
      for (index_t i = 0, at = 0; i < all && most < at_most; ++i, at = (at + step) % all) {
        index_t const found = f(first + offset(c, varying, at));
        if (most < found) most = found;
      }
    }
    return most;
  }

 private:
  // A layout of one dimension adds at most 6 cuts to an axis. A plan has at most 13 layouts.
  static constexpr int most_intervals = 6 * 13 + 1;

  constexpr index_t length(int c, int a) const {
    int const i = classes_.coordinate(c, a);
    return begin_[a][i + 1] - begin_[a][i];
  }
  // The distance of a rank of a class from the first rank. `at` is its position among the ranks that differ along axes.
  constexpr int offset(int c, axis_mask axes, index_t at) const {
    index_t n = 0, stride = 1;
    for (int a = mesh_.axes - 1; a >= 0; --a) {
      if (axes >> a & 1u) {
        n += at % length(c, a) * stride;
        at /= length(c, a);
      }
      stride *= mesh_.size[a];
    }
    return static_cast<int>(n);
  }

  // Begins an interval of axis a at this coordinate.
  constexpr void cut(int a, index_t coordinate) {
    if (coordinate <= 0 || coordinate >= mesh_.size[a]) return;
    int* const begin = begin_[a];
    int i = classes_.size[a];
    while (begin[i - 1] > coordinate) --i;
    if (begin[i - 1] == coordinate) return;
    for (int j = classes_.size[a]++; j >= i; --j) begin[j + 1] = begin[j];
    begin[i] = static_cast<int>(coordinate);
  }

  // The different sizes of the parts of a dimension. A part of a block-cyclic split has one of 3 sizes. Further splits
  // of each have at most 2 sizes, which are neighbours.
  struct part_sizes {
    int count = 0;
    index_t size[12]{};
    constexpr void add(index_t n) {
      for (int i = 0; i < count; ++i)
        if (size[i] == n) return;
      size[count++] = n;
    }
  };

  constexpr void add(index_t n, axis_list const& axes) {
    part_sizes sizes;
    index_t hands = 1;
    for (int i = 0; i < axes.cyclic; ++i) hands *= mesh_.size[axes[i]];
    index_t const block = axes.block, rest = hands > 1 ? n % (block * hands) : 0;
    if (rest != 0) {
      // Positions before `full` have one more block than positions after it.
      index_t const full = rest / block, least = n / (block * hands) * block;
      sizes.add(least);
      sizes.add(least + rest % block);
      if (full != 0) sizes.add(least + block);
      index_t at = full;
      for (int i = axes.cyclic - 1; i >= 0; --i) {
        int const q = mesh_.size[axes[i]];
        cut(axes[i], at % q);
        cut(axes[i], at % q + 1);
        at /= q;
      }
    } else {
      sizes.add(n / hands);
    }
    for (int i = axes.cyclic; i < axes.size; ++i) {
      index_t const parts = mesh_.size[axes[i]];
      part_sizes finer;
      for (int k = 0; k < sizes.count; ++k) {
        index_t const larger = sizes.size[k] % parts;
        cut(axes[i], larger);
        finer.add(sizes.size[k] / parts);
        if (larger != 0) finer.add(sizes.size[k] / parts + 1);
      }
      sizes = finer;
    }
  }

  mesh_shape mesh_, classes_;
  int begin_[max_axes][most_intervals + 1]{};
};

// The axes along which ranks of one class may differ in the elements that they hold in both layouts. If one list of a
// dimension begins the other, these are the elements of the finer part. Otherwise the positions of the parts count too,
// after the common beginning of the two lists.
constexpr axis_mask varying_axes(layout_value const& from, layout_value const& to) {
  axis_mask m = 0;
  for (int d = 0; d < from.rank; ++d) {
    axis_list const &a = from.dim[d], &b = to.dim[d];
    if (!a.begins(b) && !b.begins(a)) m |= a.mask_from(common_beginning(a, b)) | b.mask_from(common_beginning(a, b));
  }
  return m;
}

}  // namespace ashlar::plan_detail
