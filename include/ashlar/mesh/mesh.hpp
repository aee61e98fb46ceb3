// SPDX-License-Identifier: BSL-1.0
// The shape of the machine: named axes with sizes, and the rank of each coordinate.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/names.hpp"
#include <concepts>

namespace ashlar {

namespace mesh_detail {

inline constexpr int run_time_size = 0;

/// A mesh axis as a type: a name and a size. The size is 0 if it is given at run time.
template <class Name, int Size>
struct basic_axis {
  using name = Name;
  static constexpr int static_size = Size;
  static_assert(Size >= 0, "ashlar::axis: a size is positive; leave it out where it comes at run time");
};

}  // namespace mesh_detail

/// A named mesh axis. Its size is static, axis<"data", 4>, or given at run time, axis<"data">.
template <meta_detail::axis_literal Name, int Size = mesh_detail::run_time_size>
using axis = mesh_detail::basic_axis<meta_detail::axis_name_t<Name>, Size>;

/// The sizes of a mesh without its names, for run-time code.
struct mesh_shape {
  int axes = 0;
  int size[meta_detail::max_axes]{};

  /// Ranks of the mesh restricted to the axes of a bit mask.
  constexpr int ranks(unsigned mask = ~0u) const {
    int n = 1;
    for (int a = 0; a < axes; ++a)
      if (mask >> a & 1u) n *= size[a];
    return n;
  }
  /// Coordinate of a rank along an axis. Ranks are row-major, the last axis fastest.
  constexpr int coordinate(int rank, int a) const {
    for (int b = axes - 1; b > a; --b) rank /= size[b];
    return rank % size[a];
  }
  /// Position of a rank among the ranks that differ from it only along the axes of a mask, row-major in mesh order.
  constexpr int position(int rank, unsigned mask) const {
    int r = 0;
    for (int a = 0; a < axes; ++a)
      if (mask >> a & 1u) r = r * size[a] + coordinate(rank, a);
    return r;
  }
  /// The rank that has the coordinates of `rank`, except along the axes of a mask: there it is at `position`.
  /// Post: position(with_position(r, m, i), m) == i.
  constexpr int with_position(int rank, unsigned mask, int position) const {
    int r = rank, stride = 1;
    for (int a = axes - 1; a >= 0; --a) {
      if (mask >> a & 1u) {
        r += (position % size[a] - coordinate(rank, a)) * stride;
        position /= size[a];
      }
      stride *= size[a];
    }
    return r;
  }
  friend constexpr bool operator==(mesh_shape const&, mesh_shape const&) = default;
};

namespace mesh_detail {
template <class... Name>
constexpr bool has_duplicate() {
  int i = 0;
  // `name_index_v` finds the last position of a name; an earlier one is a duplicate.
  return ((name_index_v<name_list<Name...>, Name> != i++) || ...);
}
template <class... Axes>
struct axis_named_twice {
  static constexpr bool value = has_duplicate<typename Axes::name...>();
};
template <class Mesh, class Name>
struct axis_missing_from_mesh {
  static constexpr bool value = name_index_v<typename Mesh::names, Name> < 0;
};
}  // namespace mesh_detail

/// The shape of the machine, as a value: `mesh<axis<"data">, axis<"model">>{{2, 4}}`. A mesh whose sizes are all static
/// takes no sizes. Ranks are row-major, the last axis fastest.
/// Error: throws a sentence if a size is not positive or differs from the axis' static size. If the mesh is constexpr,
/// the compiler shows the sentence.
/// Example: mesh<axis<"data", 2>, axis<"model">>{{2, 4}}.size<"model">() == 4
template <class... Axes>
class mesh {
 public:
  using names = meta_detail::name_list<typename Axes::name...>;
  static constexpr int axes = sizeof...(Axes);

  constexpr mesh()
    requires((Axes::static_size != mesh_detail::run_time_size) && ...)
      : shape_{axes, {Axes::static_size...}} {}

  template <std::size_t N>
  constexpr mesh(int const (&sizes)[N]) : mesh(from(sizes)) {}
  // A template, so that a braced list is never converted to a mesh_shape.
  template <std::same_as<mesh_shape> S>
  constexpr explicit mesh(S const& s) : shape_(s) {
    if (s.axes != axes) throw "ashlar::mesh: it needs one size for each axis";
    constexpr int fixed[sizeof...(Axes) + 1]{Axes::static_size..., 0};
    for (int a = 0; a < axes && a < meta_detail::max_axes; ++a) {
      if (s.size[a] < 1) throw "ashlar::mesh: the size of an axis is 1 or more";
      if (fixed[a] != mesh_detail::run_time_size && fixed[a] != s.size[a])
        throw "ashlar::mesh: the size given differs from the axis' static size; leave one of the two out";
    }
  }

  constexpr mesh_shape const& sizes() const { return shape_; }
  /// Ranks of the whole mesh.
  constexpr int size() const { return shape_.ranks(); }
  /// Ranks along one axis.
  template <meta_detail::axis_literal Name>
  constexpr int size() const {
    static_assert(!mesh_detail::axis_missing_from_mesh<mesh, meta_detail::axis_name_t<Name>>::value,
                  "ashlar::mesh::size: the mesh has no axis of this name; use one of its axes");
    constexpr int axis = meta_detail::name_index_v<names, meta_detail::axis_name_t<Name>>;
    return shape_.size[axis < 0 ? 0 : axis];
  }
  friend constexpr bool operator==(mesh const&, mesh const&) = default;

 private:
  template <std::size_t N>
  static constexpr mesh_shape from(int const (&sizes)[N]) {
    static_assert(static_cast<int>(N) == axes,
                  "ashlar::mesh: it needs one size for each axis; give as many as it has axes");
    mesh_shape s{axes, {}};
    for (int a = 0; a < axes && a < static_cast<int>(N) && a < meta_detail::max_axes; ++a) s.size[a] = sizes[a];
    return s;
  }
  mesh_shape shape_;

  // At the end, because clang reads no member after a static_assert that fails.
  static_assert(!mesh_detail::axis_named_twice<Axes...>::value,
                "ashlar::mesh: two axes have the same name; give each axis a name of its own");
};

}  // namespace ashlar
