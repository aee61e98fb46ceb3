// SPDX-License-Identifier: BSL-1.0
// Redistribution to and from layouts with halos.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/halo.hpp"

namespace ashlar {

namespace ops_detail {

template <class From, class To>
struct redistribute_halo {
  static constexpr bool ok = !has_halo_sums<From> && !has_halo_sums<To>;
  static constexpr void say() {
    static_assert(ok, "ashlar::redistribute: a halo holds sums; write add_halo(x) first, and H as the result's layout");
  }
};
template <class L>
inline constexpr bool has_a_halo = layout_detail::layout_has_a_halo<L>::value;

/// The owned cells of x, with a halo that is not filled: the same memory if x has this halo, and else a copy.
template <class To, plain_tensor X>
constexpr auto with_unfilled_halo(destination<To, 0u>, X const& x) {
  if constexpr (has_a_halo<layout_t<X>>)
    return same_cells<To>(backend_of<X>{}, materialize(x));
  else
    return copy_cells<To>(backend_of<X>{}, materialize(x));
}
/// The tensor x, whose halo is unfilled, with its halo as the layout To says.
template <class To, class X>
constexpr auto with_halo_filled(X const& x, call_site const& w) {
  if constexpr (layout_detail::is_in_state<To, layout_detail::halo_state::fresh>)
    return exchange_halo(x, w);
  else if constexpr (layout_detail::is_in_state<To, layout_detail::halo_state::without_corners>)
    return exchange_halo<corners::skipped>(x, w);
  else
    return x;
}

template <class From, class To>
inline constexpr bool differ_in_state_alone = false;
template <class From, class To>
  requires(has_a_halo<From> && has_a_halo<To>)
inline constexpr bool differ_in_state_alone<From, To> =
    std::is_same_v<layout_detail::unfilled<From>, layout_detail::unfilled<To>>;
template <class To, class X>
constexpr auto redistribute_with_halo(X const& x, call_site const& w) {
  using From = layout_t<X>;
  if constexpr (std::is_same_v<From, To>)
    return x;
  else if constexpr (std::is_same_v<From, owned_layout_t<To>> || differ_in_state_alone<From, To>)
    return with_halo_filled<To>(with_unfilled_halo(destination<layout_detail::unfilled<To>, 0u>{}, x), w);
  else if constexpr (has_a_halo<From>)
    return redistribute<To>(owned(x), w);
  else
    return redistribute<To>(redistribute<owned_layout_t<To>>(x, w), w);
}

}  // namespace ops_detail

/// The same between layouts of which one or both have a halo. The owned cells are redistributed. Then the halo is exchanged, if
/// To is fresh<H>. Given cells are 0, but they stay if the layouts differ in the state of the halo alone.
/// Shape: the extents of x; the result has the layout To.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: redistribute between the layouts of the owned cells, without communication if they are one, and exchange_halo if To is fresh<H>. Copies of the shard. If the
///   layouts differ in the state of the halo alone, the result is the same memory.
/// Error: does not compile if a halo holds sums.
/// Example: redistribute<fresh<layout<halo("y", 1), none>>>(x)  // x of layout<none, "x">
template <class To, tensor X>
  requires(ops_detail::has_a_halo<To> || ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto redistribute(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::redistribute_halo<layout_t<X>, To>>(
      [&](auto const& t) { return ops_detail::redistribute_with_halo<To>(t, w); }, x);
}

}  // namespace ashlar
