// SPDX-License-Identifier: BSL-1.0
// concatenate and paste: several tensors become boxes of one.
#pragma once
#include "ashlar/ops/arrays/slice.hpp"

namespace ashlar {

namespace ops_detail {

template <class X, int Dim>
struct concatenate_dimension {
  static constexpr bool ok = are_dimensions<rank_v<X>, Dim>;
  static constexpr void say() {
    static_assert(ok,
                  "ashlar::concatenate: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};
// Requires a tensor that can be a box of another.
template <class X, class Box>
struct box_operand {
  static constexpr bool elements = std::is_same_v<element_t<X>, element_t<Box>>,
                        mesh = std::is_same_v<mesh_t<X>, mesh_t<Box>>, rank = rank_v<X> == rank_v<Box>,
                        partial = are_partial_alike<mesh_t<X>, layout_t<X>, layout_t<Box>>,
                        ok = elements && mesh && rank && partial;
  static constexpr void say() {
    static_assert(elements,
                  "ashlar::concatenate: the operands have different element types; write cast<T>(x) for one of them");
    static_assert(
        !elements || mesh,
        "ashlar::concatenate: the operands live on different meshes; make all tensors of one program on one mesh");
    static_assert(!elements || !mesh || rank,
                  "ashlar::concatenate: the operands have different numbers of dimensions; unflatten one of them");
    static_assert(
        !elements || !mesh || !rank || partial,
        "ashlar::concatenate: one operand is partial over an axis and another is not; all_reduce the first, or write as_partial<axis>(other)");
  }
};

template <int Dim, class X, class... Y>
constexpr auto one_after_the_other(call_site const& w, X const& x, Y const&... y) {
  boxes_of<layout_t<X>, 1 + static_cast<int>(sizeof...(Y))> b;
  b.extents = x.extents();
  int k = 0;
  auto const add = [&](shape const& next) {
    b.offset[k].rank = next.rank;
    b.offset[k][Dim] = k == 0 ? 0 : b.extents[Dim];
    for (int d = 0; d < next.rank; ++d)
      if (d != Dim && next[d] != b.extents[d])
        plan_detail::fail_extents("ashlar::concatenate: the operands have equal extents in the other dimensions",
                                  b.extents, next);
    if (k++ != 0) b.extents[Dim] += next[Dim];
  };
  add(x.extents());
  (add(y.extents()), ...);
  return join_boxes(b, w, x, y...);
}
template <int Dim, class X, class... Y>
constexpr auto concatenated(call_site const& w, X const& x, Y const&... y) {
  return checked<concatenate_dimension<X, Dim>, box_operand<X, Y>...>(
      [&](auto const&... t) { return one_after_the_other<dimension_of<X, Dim>>(w, t...); }, x, y...);
}

/// A tensor with zeros in a box: the transpose of paste, by its first operand.
struct clear_box_op : like_operand<view_diagnostics> {
  shape begin, box;
  static constexpr rule_result rule(layout_value const& x) { return elementwise_rule(linearity::linear, x); }
};

// A tag, so that argument-dependent lookup finds the overload for active tensors.
struct paste_at {
  shape begin;
};
template <plain_tensor Y, plain_tensor X>
constexpr auto paste_box(paste_at const& at, Y const& y, X const& x, call_site const& w) {
  require_meshes_of_one_size(y, x);
  auto to = plan_detail::allocate<element_t<Y>, layout_t<Y>>(y.mesh(), y.extents());
  assign_elements(backend_of<Y>{}, to, materialize(y));
  put_box(to, x, at.begin, w);
  return to;
}

}  // namespace ops_detail

/// The operands one after the other along a dimension, up to 4 of them.
/// Shape: the layout of the first operand; the sum of the extents in dimension Dim. The others may be sharded otherwise.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one exchange per operand of the elements that a rank lacks, none if no element changes its rank. The derivative
///   takes a slice of the cotangent for each operand.
/// Error: operands of different element types, meshes or ranks do not compile, nor do a partial operand and one that is
///   not. Other extents that differ throw ashlar::error.
/// Example: concatenate<1>(x, y) is NumPy's concatenate((x, y), axis=1)
template <int Dim, tensor X, tensor Y>
[[nodiscard]] constexpr auto concatenate(X const& x, Y const& y, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::concatenated<Dim>(w, x, y);
}
template <int Dim, tensor X, tensor Y, tensor Z>
[[nodiscard]] constexpr auto concatenate(X const& x, Y const& y, Z const& z, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::concatenated<Dim>(w, x, y, z);
}
template <int Dim, tensor X, tensor Y, tensor Z, tensor U>
[[nodiscard]] constexpr auto concatenate(X const& x, Y const& y, Z const& z, U const& u,
                                         call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::concatenated<Dim>(w, x, y, z, u);
}

/// A copy of y in which a box has the elements of x.
/// Shape: as y, in its layout; x may be sharded otherwise.
/// Pre: 0 <= begin, and begin plus the extents of x is not beyond y.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one exchange of the elements of x that a rank lacks, none if no element changes its rank; one copy of the shard.
/// Error: as concatenate. A box beyond y throws ashlar::error.
/// Example: paste(y, {2, 0}, x) is y after NumPy's y[2:2 + len(x), 0:x.shape[1]] = x
template <tensor Y, tensor X, std::size_t N>
[[nodiscard]] constexpr auto paste(Y const& y, index_t const (&begin)[N], X const& x,
                                   call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::box_offsets<Y, static_cast<int>(N)>, ops_detail::box_operand<Y, X>>(
      [&](auto const& whole, auto const& box) {
        shape const &most = whole.extents(), &n = box.extents();
        for (int d = 0; d < most.rank; ++d)
          if (begin[d] < 0 || begin[d] > most[d] - n[d])
            plan_detail::fail_extents("ashlar::paste: the box of these extents is within the tensor", n, most);
        return paste_box(ops_detail::paste_at{ops_detail::list_of(begin)}, whole, box, w);
      },
      y, x);
}

}  // namespace ashlar
