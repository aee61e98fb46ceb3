// SPDX-License-Identifier: BSL-1.0
// slice, pad and shift: a box of elements that goes to a tensor of other extents.
#pragma once
#include "ashlar/ops/arrays/box.hpp"

namespace ashlar {

namespace ops_detail {

// A layout for the result, by default the operand's.
struct as_operand {};
template <class To, class X>
struct target {
  using type = To;
};
template <class X>
struct target<as_operand, X> {
  using type = layout_t<X>;
};
template <class To, class X>
using target_t = typename target<To, X>::type;

// True if the layouts are partial alike, over the axes of one mesh.
template <class Mesh, class A, class B>
inline constexpr bool are_partial_alike = [] {
  using c = mesh_context<Mesh, A, B>;
  layout_value const of_a = value_v<c, A>, of_b = value_v<c, B>;
  if (of_a.levels != of_b.levels) return false;
  for (int l = 0; l < of_a.levels; ++l)
    if (of_a.reductions[l] != of_b.reductions[l]) return false;
  return true;
}();

template <class X, int N>
struct box_offsets {
  static constexpr bool ok = rank_v<X> == N;
  static constexpr void say() {
    static_assert(ok, "ashlar::slice: give one number per dimension of the tensor, in each of the lists");
  }
};
template <class To, class X>
struct box_target {
  static constexpr bool rank = To::rank == rank_v<X>, axes = !axes_missing_from_mesh<mesh_t<X>, To>::value,
                        partial = are_partial_alike<mesh_t<X>, layout_t<X>, To>, ok = rank && axes && partial;
  static constexpr void say() {
    static_assert(
        rank,
        "ashlar::slice: the layout has another number of dimensions than the tensor; write one spec per dimension");
    static_assert(!rank || axes,
                  "ashlar::slice: the layout names an axis that the mesh does not have; use one of the mesh's axes");
    static_assert(
        !rank || !axes || partial,
        "ashlar::slice: the layout is partial otherwise than the tensor; write one that is partial as the tensor is, or all_reduce the tensor first");
  }
};
template <class X>
struct pad_with_zeros {
  static constexpr bool ok = partial_only_by(value_on<mesh_t<X>, layout_t<X>>, op_sum);
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::pad: the tensor is partial by another reduction than the sum, whose terms cannot be padded with zeros; all_reduce it first");
  }
};
template <class X>
struct pad_with_a_number {
  static constexpr bool ok = !layout_is_partial<layout_t<X>>::value;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::pad: the tensor is partial, so each rank would add the number; all_reduce it first, or pad with zeros");
  }
};
template <class X, int Dim>
struct shift_dimension {
  static constexpr bool ok = are_dimensions<rank_v<X>, Dim>;
  static constexpr void say() {
    static_assert(ok, "ashlar::shift: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};

template <std::size_t N>
constexpr shape list_of(index_t const (&n)[N], index_t sign = 1) {
  shape s;
  for (s.rank = 0; s.rank < static_cast<int>(N); ++s.rank) s[s.rank] = sign * n[s.rank];
  return s;
}

// Calls `work` with a tensor from which a box of N offsets goes to a tensor of layout To.
template <class To, int N, class... Conditions, class Work, class X>
constexpr auto with_box(Work const& work, X const& x) {
  return checked<Conditions..., box_offsets<X, N>, box_target<To, X>>(work, x);
}
template <class To, class Condition, class X, std::size_t N>
constexpr auto padded(X const& x, index_t const (&before)[N], index_t const (&after)[N], element_t<X> value,
                      call_site const& w) {
  return with_box<To, static_cast<int>(N), Condition>(
      [&](auto const& t) {
        shape extents = t.extents();
        for (int d = 0; d < t.extents().rank; ++d) {
          if (before[d] < 0 || after[d] < 0)
            plan_detail::fail_extents("ashlar::pad: the numbers of elements are 0 or more; slice cuts elements off",
                                      list_of(before), list_of(after));
          extents[d] += before[d] + after[d];
        }
        return move_box(box_of<To>{extents, list_of(before)}, t, value, w);
      },
      x);
}
template <int Dim, class Condition, class X>
constexpr auto shifted(X const& x, index_t by, element_t<X> value, call_site const& w) {
  return checked<Condition, shift_dimension<X, Dim>>(
      [&]<class T>(T const& t) {
        shape offset;
        offset.rank = rank_v<T>;
        offset[dimension_of<T, Dim>] = by;
        return move_box(box_of<layout_t<T>>{t.extents(), offset}, t, value, w);
      },
      x);
}

}  // namespace ops_detail

/// The elements of a box: element i of the result is element begin + i of x.
/// Shape: `extents`, in layout To, by default the layout of x. It is partial as x is.
/// Pre: 0 <= begin, and begin + extents is not beyond x.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one exchange of the elements that a rank lacks, none if no element changes its rank. The derivative puts the
///   cotangent into zeros, at the same cost. If axes shard x but not the result, it also needs an all_reduce over them.
/// Error: a box beyond x throws ashlar::error. A layout of another rank, or partial otherwise, does not compile.
/// Example: slice(x, {0, 1}, {4, 3}) is NumPy's x[0:4, 1:4]
template <class To = ops_detail::as_operand, tensor X, std::size_t N>
[[nodiscard]] constexpr auto slice(X const& x, index_t const (&begin)[N], index_t const (&extents)[N],
                                   call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  using L = ops_detail::target_t<To, X>;
  return ops_detail::with_box<L, static_cast<int>(N)>(
      [&](auto const& t) {
        for (int d = 0; d < t.extents().rank; ++d)
          if (begin[d] < 0 || extents[d] < 0 || begin[d] > t.extents()[d] - extents[d])
            plan_detail::fail_extents("ashlar::slice: the box, which begins at the first list, is within the tensor",
                                      ops_detail::list_of(begin), t.extents());
        return move_box(ops_detail::box_of<L>{ops_detail::list_of(extents), ops_detail::list_of(begin, -1)}, t,
                        element_t<X>{}, w);
      },
      x);
}

/// x with elements before and after it in each dimension: 0, or a value.
/// Shape: before + extents + after, in layout To, by default the layout of x. It is partial as x is.
/// Pre: the numbers are 0 or more.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as slice. The derivative is a slice of the cotangent.
/// Error: negative numbers throw ashlar::error. A partial sum can be padded with zeros only. A value that is no element
///   does not compile, or throws ashlar::error, as for x * s.
/// Example: pad(x, {1, 1}, {1, 1}) is NumPy's pad(x, 1)
template <class To = ops_detail::as_operand, tensor X, std::size_t N>
[[nodiscard]] constexpr auto pad(X const& x, index_t const (&before)[N], index_t const (&after)[N],
                                 call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::padded<ops_detail::target_t<To, X>, ops_detail::pad_with_zeros<X>>(x, before, after,
                                                                                        element_t<X>{}, w);
}
template <class To = ops_detail::as_operand, tensor X, std::size_t N>
[[nodiscard]] constexpr auto pad(X const& x, index_t const (&before)[N], index_t const (&after)[N],
                                 ops_detail::number_for<element_t<X>> value, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::padded<ops_detail::target_t<To, X>, ops_detail::pad_with_a_number<X>>(x, before, after,
                                                                                           value.element(), w);
}

/// Moves the elements by n indices along a dimension, without going around the end (roll does). The other elements are
/// 0, or a value.
/// Shape: as x. Post: element i of the result is element i - n of x, if there is one.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as slice. The derivative shifts the cotangent back.
/// Error: a dimension that x lacks does not compile. A partial sum is shifted with zeros only. A value
///   that is no element, as for pad.
/// Example: shift<0>(x<layout<"x">>, 1) - x -> layout<"x">
template <int Dim, tensor X>
[[nodiscard]] constexpr auto shift(X const& x, ops_detail::index_argument n, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::shifted<Dim, ops_detail::pad_with_zeros<X>>(x, n, element_t<X>{}, w);
}
template <int Dim, tensor X>
[[nodiscard]] constexpr auto shift(X const& x, ops_detail::index_argument n, ops_detail::number_for<element_t<X>> value,
                                   call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::shifted<Dim, ops_detail::pad_with_a_number<X>>(x, n, value.element(), w);
}

}  // namespace ashlar
