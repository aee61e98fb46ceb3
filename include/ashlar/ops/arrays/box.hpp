// SPDX-License-Identifier: BSL-1.0
// Elements of tensors that become a box of another tensor: slice, paste, pad, concatenate and shift are made of it.
#pragma once
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {

// A box is a tensor at an offset in another. Element i of the first is element i + offset of the second, if the second
// has it. So a negative offset cuts elements off.

constexpr index_t common_after_move(region const& a, region const& b) {
  index_t n = 1;
  for (int d = 0; d < a.rank; ++d) {
    index_set const &u = a.dim[d], &v = b.dim[d];
    index_t const begin = u.begin < v.begin ? v.begin : u.begin, end = u.end < v.end ? u.end : v.end;
    n *= u.block == 0 && v.block == 0 ? (begin < end ? end - begin : 0) : overlap_of(u, v).size;
  }
  return n;
}

/// A tensor of extents `source` in layout `from`, at an offset in a tensor of extents `destination` in layout `to`.
struct box_in_tensor {
  layout_value from, to;
  shape source, destination, offset;

  /// The axes along which elements may move. The others split a dimension whose indices all stay where they are.
  constexpr axis_mask axes() const {
    axis_mask m = 0;
    for (int d = 0; d < from.rank; ++d)
      if (!(from.dim[d] == to.dim[d] && source[d] == destination[d] && offset[d] == 0))
        m |= from.dim[d].mask() | to.dim[d].mask();
    return m;
  }
  constexpr region held(mesh_shape const& mesh, int rank) const {
    return moved(local_region(source, from, mesh, rank), offset);
  }
  constexpr region needed(mesh_shape const& mesh, int rank) const { return local_region(destination, to, mesh, rank); }
  /// True if `sender` sends to `receiver`: if several ranks hold the same elements, the rank that shares the receiver's
  /// coordinates sends them.
  constexpr bool sends(mesh_shape const& mesh, int sender, int receiver) const {
    axis_mask const copies = axes() & ~from.sharding();
    return mesh.position(sender, copies) == mesh.position(receiver, copies);
  }
  /// Elements received by the rank that receives most.
  constexpr index_t most_received(mesh_shape const& mesh) const {
    axis_mask const moving = axes();
    region const whole = moved(whole_region(source), offset);
    index_t most = 0;
    for (int i = 0, p = mesh.ranks(moving); i < p; ++i) {
      int const rank = mesh.with_position(0, moving, i);
      region const own = needed(mesh, rank);
      index_t const lacked = common_after_move(own, whole) - common_after_move(own, held(mesh, rank));
      if (most < lacked) most = lacked;
    }
    return most;
  }
  /// True if every element of the destination is in the box.
  constexpr bool covers() const {
    for (int d = 0; d < from.rank; ++d)
      if (offset[d] > 0 || offset[d] + source[d] < destination[d]) return false;
    return true;
  }
};

template <class X, class Y>
constexpr box_in_tensor box_between(X const& x, Y const& y, shape const& offset) {
  return {plan_detail::value_on<mesh_t<X>, layout_t<X>>, plan_detail::value_on<mesh_t<Y>, layout_t<Y>>, x.extents(),
          y.extents(), offset};
}

/// Gives the elements of y that are outside a box a value.
template <class Y, class T>
constexpr void fill_outside(no_ranks, Y& y, shape const&, shape const&, T const&) {
  y.set_origin({});
}
/// Makes x a box of y. No other tensor shares the memory of y.
template <class Y, class X>
constexpr void put_box(no_ranks, Y& y, X const&, shape const&, plan_step const&, call_site const&) {
  y.set_origin({});
}

/// Makes a box of y the elements of x.
template <class X, class Y>
constexpr void put_box(Y& y, X const& x, shape const& offset, call_site const& w) {
  auto const& t = materialize(x);
  box_in_tensor const b = box_between(t, y, offset);
  plan_step const s{step_kind::exchange, b.axes(), op_sum, {}, {}};
  if (x.mesh().recorder())
    if (index_t const most = b.most_received(x.mesh().sizes()))
      note(x.mesh(), s, most * static_cast<index_t>(sizeof(element_t<X>)), w);
  put_box(backend_of<X>{}, y, t, offset, s, w);
}

// A tag, so that argument-dependent lookup finds the overload for active tensors.
template <class To>
struct box_of {
  shape extents, offset;  // of the result; of the operand in it
};
template <class To, int N>
struct boxes_of {
  shape extents;
  shape offset[array_bound(N)];
};

/// The tensor of layout To that holds x at an offset, and `background` elsewhere.
template <class To, plain_tensor X>
constexpr auto move_box(box_of<To> const& b, X const& x, element_t<X> background, call_site const& w) {
  auto y = plan_detail::allocate<element_t<X>, To>(x.mesh(), b.extents);
  if (!box_between(x, y, b.offset).covers()) fill_outside(backend_of<X>{}, y, b.offset, x.extents(), background);
  put_box(y, x, b.offset, w);
  return y;
}

/// The tensor of layout To that holds several tensors at their offsets, and nothing else. Later ones are over earlier
/// ones.
template <class To, int N, plain_tensor X, plain_tensor... More>
constexpr auto join_boxes(boxes_of<To, N> const& b, call_site const& w, X const& x, More const&... more) {
  require_meshes_of_one_size(x, more...);
  auto y = plan_detail::allocate<element_t<X>, To>(x.mesh(), b.extents);
  int k = 0;
  put_box(y, x, b.offset[k++], w);
  (put_box(y, more, b.offset[k++], w), ...);
  return y;
}

}  // namespace ops_detail

}  // namespace ashlar
