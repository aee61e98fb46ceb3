// SPDX-License-Identifier: BSL-1.0
// flatten joins dimensions; unflatten cuts a dimension; reductions keep dimensions with extent 1.
#pragma once
#include "ashlar/layout/rule.hpp"
#include "ashlar/ops/apply.hpp"

namespace ashlar {

namespace ops_detail {

/// The layout after dimensions first..last are joined into one. Only the first of them may be sharded: the shards of a
/// later one would be strided in the joined dimension. The parts must have equal size; ops_detail::require_even_pieces
/// checks this when the extents are known.
/// Example: (0, 1) of layout<"data", none, "model"> is layout<"data", "model">
constexpr rule_result flatten_rule(layout_value const& a, int first, int last) {
  rule_result r;
  r.out = a;
  for (int d = first + 1; d <= last; ++d)
    if (a.dim[d].size) return rule_result::wrong(fault::sharded_dimension, a.dim[d][0]);
  if (a.dim[first].block) return rule_result::wrong(fault::block_cyclic_dimension, a.dim[first][0]);
  r.out.rank = a.rank - (last - first);
  for (int d = first + 1; d < r.out.rank; ++d) r.out.dim[d] = a.dim[d + (last - first)];
  for (int d = r.out.rank; d < a.rank; ++d) r.out.dim[d] = {};
  return r;
}

/// The layout after dimension `dim` is cut into `count` dimensions. The first of them keeps the axes.
/// Example: dimension 0 of layout<"data", none> cut into 2 gives layout<"data", none, none>
constexpr rule_result unflatten_rule(layout_value const& a, int dim, int count) {
  rule_result r;
  r.out = a;
  if (a.dim[dim].block) return rule_result::wrong(fault::block_cyclic_dimension, a.dim[dim][0]);
  r.out.rank = a.rank + count - 1;
  for (int d = r.out.rank - 1; d > dim; --d)
    r.out.dim[d] = d - (count - 1) > dim ? a.dim[d - (count - 1)] : axis_list{};
  return r;
}

struct view_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::flatten: the axis shards a dimension that is not the first of those joined, whose parts would be apart; redistribute it to the first");
    static_assert(
        !breaks<F, fault::block_cyclic_dimension, Axis, L...>::value,
        "ashlar::flatten: a dimension that is joined or cut is block-cyclic over the axis, and its neighbours are on other ranks; redistribute to an even split first");
  }
};

template <int Dim, int Count>
struct unflatten_op;

/// Joins dimensions First to Last into one.
template <int First, int Last>
struct flatten_op {
  using diagnostics = view_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) { return flatten_rule(a, First, Last); }
  static constexpr shape extents(layout_value const&, shape const& a) {
    shape y;
    for (int d = 0; d < a.rank; ++d)
      if (d > First && d <= Last)
        y.extent[y.rank - 1] *= a[d];
      else
        y.extent[y.rank++] = a[d];
    return y;
  }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    unflatten_op<First, Last - First + 1> cut{};
    for (int d = First; d <= Last; ++d) cut.piece[d - First] = x.extents()[d];
    return apply(cut, ct);
  }
};

/// Cuts dimension Dim into Count dimensions of given extents.
template <int Dim, int Count>
struct unflatten_op {
  using diagnostics = view_diagnostics;
  index_t piece[array_bound(Count)];
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) { return unflatten_rule(a, Dim, Count); }
  constexpr shape extents(layout_value const&, shape const& a) const {
    shape y;
    index_t product = 1;
    for (index_t n : piece) product *= n;
    for (int d = 0; d < a.rank; ++d)
      if (d == Dim)
        for (index_t n : piece) y.extent[y.rank++] = n;
      else
        y.extent[y.rank++] = a[d];
    if (product != a[Dim])
      plan_detail::fail_extents(
          "ashlar::unflatten: the product of the extents given is the extent of the dimension that is cut", a, y);
    return y;
  }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&) {
    return apply(flatten_op<Dim, Dim + Count - 1>{}, ct);
  }
};

constexpr shape without_dims(shape const& a, unsigned dims) {
  shape y;
  for (int d = 0; d < a.rank; ++d)
    if (!(dims >> d & 1u)) y.extent[y.rank++] = a[d];
  return y;
}

template <unsigned Dims>
struct drop_dims_op;

/// Gives a tensor dimensions of extent 1, which no axis shards. A bit mask names these dimensions of the result. No
/// element moves.
template <unsigned Dims>
struct keep_dims_op {
  using diagnostics = view_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) {
    rule_result r;
    for (int k = 0; k < a.rank || (Dims >> r.out.rank & 1u); ++r.out.rank)
      r.out.dim[r.out.rank] = Dims >> r.out.rank & 1u ? axis_list{} : a.dim[k++];
    copy_reductions(a, r.out);
    return r;
  }
  static constexpr shape extents(layout_value const& out, shape const& a) {
    shape y;
    for (int k = 0; y.rank < out.rank; ++y.rank) y[y.rank] = Dims >> y.rank & 1u ? 1 : a[k++];
    return y;
  }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&) {
    return apply(drop_dims_op<Dims>{}, ct);
  }
};
/// Takes these dimensions away again.
template <unsigned Dims>
struct drop_dims_op {
  using diagnostics = view_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) {
    rule_result r;
    for (int d = 0; d < a.rank; ++d)
      if (!(Dims >> d & 1u)) r.out.dim[r.out.rank++] = a.dim[d];
    copy_reductions(a, r.out);
    return r;
  }
  static constexpr shape extents(layout_value const&, shape const& a) { return without_dims(a, Dims); }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&) {
    return apply(keep_dims_op<Dims>{}, ct);
  }
};

// A sharded dimension can be cut or joined at the boundaries of its parts only if the parts are equal.
constexpr void require_even_pieces(index_t n, axis_list const& axes, mesh_shape const& mesh) {
  if (axes.size && n % parts(axes, mesh) != 0)
    // Compilers print the line on which a call begins.
    // clang-format off
    fail("ashlar::flatten: the first of the dimensions joined (or made by a cut) divides by the ranks that shard it; pad it, or gather it first");
  // clang-format on
}
template <int First, int Last, class X>
struct flatten_dimensions {
  static constexpr bool ok = First >= 0 && First <= Last && Last < rank_v<X>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::flatten: the tensor has no such dimensions, from the first to the last; they count from 0, or from -1 at the end");
  }
};
template <int Dim, class X>
struct unflatten_dimension {
  static constexpr bool ok = Dim >= -rank_v<X> && Dim < rank_v<X>;
  static constexpr void say() {
    static_assert(ok, "ashlar::unflatten: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};
template <int First, class X>
struct flatten_static_extent {
  static constexpr bool ok = [] {
    if constexpr (static_shape<X>)
      return !static_extent_does_not_divide<mesh_t<X>, plan_detail::value_on<mesh_t<X>, layout_t<X>>, First,
                                            static_extents_v<X>[First]>;
    return true;
  }();
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::flatten: the first of the dimensions joined divides by the ranks that shard it; choose another extent or mesh, or gather it first");
  }
};
}  // namespace ops_detail

/// Joins dimensions First to Last into one. No element moves.
/// Pre: if axes shard dimension First, its extent is a multiple of the number of their ranks.
/// Cost: no communication and no copy.
/// Error: ashlar::error on every rank if it is not.
/// Example: flatten<0, 1>(x<layout<"data", none, "model">>) -> layout<"data", "model">
template <int First, int Last, class X>
constexpr auto flatten(X const& x) {
  constexpr int first = plan_detail::dimension_of<X, First>, last = plan_detail::dimension_of<X, Last>;
  return meta_detail::checked<ops_detail::flatten_dimensions<first, last, X>,
                              ops_detail::flatten_static_extent<first, X>>(
      []<class T>(T const& t) {
        ops_detail::require_even_pieces(t.extents()[first], plan_detail::value_on<mesh_t<T>, layout_t<T>>.dim[first],
                                        t.mesh().sizes());
        return apply(ops_detail::flatten_op<first, last>{}, t);
      },
      x);
}

/// Joins all dimensions except the first into one. A vector stays as it is. No element moves.
/// Pre: as for flatten<1, -1>.
/// Example: layout<"data", none, none, none> gives layout<"data", none>
template <class X>
constexpr auto flatten(X const& x) {
  if constexpr (rank_v<X> == 1)
    return x;
  else
    return flatten<1, -1>(x);
}

/// Cuts dimension Dim into dimensions of the given extents. No element moves.
/// Pre: the product of the extents is the dimension's extent. If axes shard it, the first extent is a multiple of the
/// number of their ranks.
/// Cost: no communication and no copy.
/// Error: a dimension that the tensor lacks does not compile; extents that do not fit throw ashlar::error on every
/// rank.
/// Example: unflatten<1>(x<layout<"data", none>>, {12, 64}) -> layout<"data", none, none>
template <int Dim, class X, std::size_t N>
constexpr auto unflatten(X const& x, index_t const (&extents)[N], call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::unflatten_dimension<Dim, X>>(
      [&]<class T>(T const& t) {
        constexpr int dim = plan_detail::dimension_of<T, Dim>;
        ops_detail::require_even_pieces(extents[0], plan_detail::value_on<mesh_t<T>, layout_t<T>>.dim[dim],
                                        t.mesh().sizes());
        ops_detail::unflatten_op<dim, N> cut{};
        for (int d = 0; d < static_cast<int>(N); ++d) cut.piece[d] = extents[d];
        return apply(cut, t);
      },
      x);
}

}  // namespace ashlar
