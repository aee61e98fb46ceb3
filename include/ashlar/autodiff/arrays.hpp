// SPDX-License-Identifier: BSL-1.0
// Derivatives of operations on arrays: boxes that move back, sums from the other end, and the route of a sort.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/arrays/concatenate.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"
#include "ashlar/ops/arrays/sort.hpp"

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

// The cotangent of an active tensor X of these extents that was put at an offset of a tensor with the cotangent ct.
template <class X, class Ct>
constexpr auto box_back(shape const& extents, Ct const& ct, shape offset, call_site const& w) {
  auto const whole = relayout(ops_detail::destination<typename box_layout<Ct, X, false>::type, 0u>{}, ct, w);
  for (int d = 0; d < offset.rank; ++d) offset[d] = -offset[d];
  auto const moved =
      move_box(ops_detail::box_of<typename box_layout<Ct, X, true>::type>{extents, offset}, whole, element_t<X>(0), w);
  return relayout(ops_detail::destination<dual_t<X>, 0u>{}, moved, w);
}

template <int N, class... X>
struct pullback_of_boxes {
  shape offset[array_bound(N)];
  call_site where_called;
  meta_detail::product<X...> operands;

  constexpr void operator()(auto const& result) const {
    int k = 0;
    auto const to_one = [&](auto const& x, shape const& at) {
      pull_to(x, [&](auto) {
        return box_back<std::remove_cvref_t<decltype(x)>>(x.extents(), result.cotangent().value(), at, where_called);
      });
    };
    operands.apply_to([&](auto const&... x) { (to_one(x, offset[k++]), ...); });
  }
};

// Axes over which a box Y of X... is replicated.
template <class Y, class... X>
inline constexpr axis_mask replicated_box = (replicated_after<named_of<Y>, X...> | ... | gathered_box<X, Y>);

}  // namespace autodiff_detail

namespace ops_detail {

template <class To, active_value X>
constexpr auto move_box(box_of<To> const& b, X const& x, element_t<X> background, call_site const& w) {
  auto y = move_box(b, x.value(), background, w);
  auto const back = [n = x.extents(), offset = b.offset, w](auto const& ct) {
    return autodiff_detail::box_back<X>(n, ct, offset, w);
  };
  return linear<autodiff_detail::gathered_box<X, decltype(y)>>(x, y, back);
}

template <class To, int N, tensor... X>
  requires(active_value<X> || ...)
constexpr auto join_boxes(boxes_of<To, N> const& b, call_site const& w, X const&... x) {
  autodiff_detail::require_all_to_vary<X...>();
  auto y = join_boxes(b, w, stop_gradient(x)...);
  autodiff_detail::pullback_of_boxes<N, X...> back{{}, w, meta_detail::product<X...>(x...)};
  for (int k = 0; k < N; ++k) back.offset[k] = b.offset[k];
  return autodiff_detail::record<autodiff_detail::replicated_box<decltype(y), X...>>(y, back, x...);
}

/// The cotangent of y is 0 in the box.
template <tensor Y, tensor X>
  requires(active_value<Y> || active_value<X>)
constexpr auto paste_box(paste_at const& at, Y const& y, X const& x, call_site const& w) {
  autodiff_detail::require_all_to_vary<Y, X>();
  auto to = paste_box(at, stop_gradient(y), stop_gradient(x), w);
  auto const pull = [y, x, at, w](auto const& result) {
    auto const& ct = result.cotangent().value();
    pull_to(x, [&](auto) { return autodiff_detail::box_back<X>(x.extents(), ct, at.begin, w); });
    pull_to(y, [&](auto back) {
      return relayout(back, plan_detail::materialize(apply(clear_box_op{{}, at.begin, x.extents()}, ct)), w);
    });
  };
  return autodiff_detail::record<autodiff_detail::replicated_box<decltype(to), Y, X>>(to, pull, y, x);
}

// The sums from the other end.
template <int Dim, bool Reversed, active_value X>
constexpr auto sum_along(sums_along<Dim, Reversed> along, X const& x, call_site const& w) {
  return linear(x, sum_along(along, x.value(), w),
                [w](auto const& ct) { return sum_along(sums_along<Dim, !Reversed>{}, ct, w); });
}

// Cotangents return by the route that the elements of a sharded dimension took.
template <int Dim, active_value X>
constexpr auto merge_parts(merged_along<Dim>, X const& x, call_site const& w) {
  auto const merged = merge_and_route<Dim, true>(x.value(), w);
  return linear(x, merged.values, [route = merged.route, w](auto const& ct) {
    return return_route<Dim>(backend_of<decltype(ct)>{}, route, ct, merging_step<Dim>(ct, w), w);
  });
}

}  // namespace ops_detail

}  // namespace ashlar
