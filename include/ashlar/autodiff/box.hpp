// SPDX-License-Identifier: BSL-1.0
// Derivatives of slice, pad, shift, concatenate and paste: boxes that move back.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/arrays/concatenate.hpp"

namespace ashlar {

namespace autodiff_detail {

// Axes that shard X and that the layout of its box, Y, does not name: along them Y is replicated.
template <class X, class Y>
inline constexpr axis_mask gathered_box =
    is_active_v<X> ? plan_detail::value_on<mesh_t<X>, layout_t<X>>.sharding() & ~named_of<Y> : 0u;

// The layout of a cotangent without the sums over axes that shard X; then sharded as X is.
template <class Ct, class X, bool Moved>
struct box_layout {
  using c = mesh_context<mesh_t<X>, layout_t<Ct>, layout_t<X>>;
  static constexpr layout_value value = [] {
    layout_value const x = value_v<c, layout_t<X>>;
    layout_value ct = value_v<c, layout_t<Ct>>;
    ct.drop_partial(x.sharding());
    if (Moved)
      for (int d = 0; d < x.rank; ++d) ct.dim[d] = x.dim[d];
    return ct;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

// Adds the cotangent of a tensor that was put at an offset.
template <class X, class Ct>
constexpr void pull_box_back(X const& x, Ct const& ct, shape offset, call_site const& w) {
  if constexpr (active_value<X>) {
    using C = typename X::cotangent_type;
    auto const whole = relayout(ops_detail::destination<typename box_layout<Ct, X, false>::type, 0u>{}, ct, w);
    for (int d = 0; d < offset.rank; ++d) offset[d] = -offset[d];
    auto const moved = move_box(ops_detail::box_of<typename box_layout<Ct, X, true>::type>{x.extents(), offset}, whole,
                                element_t<X>(0), w);
    x.cotangent().add(C(relayout(ops_detail::destination<layout_t<C>, 0u>{}, moved, w)));
  }
}

template <axis_mask Bad, class... X>
constexpr void require_no_invariant() {
  using axis = typename ops_detail::axis_for_message<typename mesh_t<ops_detail::first_t<X...>>::names,
                                                     layout_detail::first_axis(Bad)>::type;
  static_assert(
      !invariant_value_meets_varying<axis, X...>::value,
      "ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>(operand), an all-reduce in the backward pass, or value_and_grad<axis>(f) if the loss is a sum over it");
}

template <class Result, int N, class... X>
struct pullback_of_boxes {
  Result result;
  shape offset[array_bound(N)];
  call_site where_called;
  meta_detail::product<X...> operands;

  constexpr void operator()() const {
    if (!result.cotangent().is_set()) return;
    int k = 0;
    operands.apply_to(
        [&](auto const&... x) { (pull_box_back(x, result.cotangent().value(), offset[k++], where_called), ...); });
  }
};

}  // namespace autodiff_detail

namespace ops_detail {

template <class To, active_value X>
constexpr auto move_box(box_of<To> const& b, X const& x, element_t<X> background, call_site const& w) {
  auto y = move_box(b, x.value(), background, w);
  using Y = decltype(y);
  active<Y, (X::replicated | autodiff_detail::gathered_box<X, Y>)&~autodiff_detail::named_of<Y>> result(
      x.recording_tape(), y);
  result.recording_tape().push([result, x, offset = b.offset, w] {
    if (result.cotangent().is_set()) autodiff_detail::pull_box_back(x, result.cotangent().value(), offset, w);
  });
  return result;
}

template <class To, int N, tensor... X>
  requires(active_value<X> || ...)
constexpr auto join_boxes(boxes_of<To, N> const& b, call_site const& w, X const&... x) {
  autodiff_detail::require_no_invariant<autodiff_detail::invariant_meets_other<X...>, X...>();
  auto y = join_boxes(b, w, stop_gradient(x)...);
  using Y = decltype(y);
  constexpr axis_mask r = (autodiff_detail::replicated_after<autodiff_detail::named_of<Y>, X...> |
                           (0u | ... | autodiff_detail::gathered_box<X, Y>)) &
                          ~autodiff_detail::named_of<Y>;
  active<Y, r> result(autodiff_detail::tape_of(x...), y);
  autodiff_detail::pullback_of_boxes<decltype(result), N, X...> back{result, {}, w, meta_detail::product<X...>(x...)};
  for (int k = 0; k < N; ++k) back.offset[k] = b.offset[k];
  result.recording_tape().push(back);
  return result;
}

/// The cotangent of y is 0 in the box.
template <tensor Y, tensor X>
  requires(active_value<Y> || active_value<X>)
constexpr auto paste_box(paste_at const& at, Y const& y, X const& x, call_site const& w) {
  autodiff_detail::require_no_invariant<autodiff_detail::invariant_meets_other<Y, X>, Y, X>();
  auto to = paste_box(at, stop_gradient(y), stop_gradient(x), w);
  using To = decltype(to);
  constexpr axis_mask r = (autodiff_detail::replicated_after<autodiff_detail::named_of<To>, Y, X> |
                           autodiff_detail::gathered_box<X, To>)&~autodiff_detail::named_of<To>;
  active<To, r> result(autodiff_detail::tape_of(y, x), to);
  result.recording_tape().push([result, y, x, at, w] {
    if (!result.cotangent().is_set()) return;
    auto const& ct = result.cotangent().value();
    autodiff_detail::pull_box_back(x, ct, at.begin, w);
    if constexpr (active_value<Y>)
      y.cotangent().add(typename Y::cotangent_type(
          relayout(destination<layout_t<typename Y::cotangent_type>, 0u>{},
                   plan_detail::materialize(apply(clear_box_op{at.begin, x.extents()}, ct)), w)));
  });
  return result;
}

}  // namespace ops_detail

}  // namespace ashlar
