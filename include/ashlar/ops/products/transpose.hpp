// SPDX-License-Identifier: BSL-1.0
// transpose: dimensions in another order, as a local operation or as part of a redistribution.
#pragma once
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {

// Requires the numbers of dimensions 0 to rank - 1, each once.
template <class L, int... Order>
struct transpose_order {
  static constexpr bool ok =
      sizeof...(Order) == L::rank && are_dimensions<L::rank, Order...> && are_distinct<L::rank, Order...>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::transpose: name each dimension once, in the new order; transpose<0, 2, 1>(x) exchanges the last two of three");
  }
};
template <int... Order, class X>
constexpr auto in_order(X const& x) {
  constexpr equation e = [] {
    equation q("");
    char const all_labels[] = "abcdefgh";
    q.append(all_labels, sizeof...(Order));
    q.append("->", 2);
    (q.append(all_labels + Order, 1), ...);
    return q;
  }();
  return einsum<e>(x);
}

}  // namespace ops_detail

/// The dimensions of a tensor in another order: transpose<1, 0>(x) is the matrix transpose.
/// Cost: no communication.
/// Error: does not compile unless Order names each dimension once.
/// Example: transpose<1, 0>(x<layout<"data", "model">>) -> layout<"model", "data">
template <int... Order, tensor X>
constexpr auto transpose(X const& x) {
  return meta_detail::checked<ops_detail::transpose_order<layout_t<X>, Order...>>(
      [](auto const& y) { return ops_detail::in_order<plan_detail::dimension_of<X, Order>...>(y); }, x);
}

namespace ops_detail {

// True if the first step of a plan copies parts of arrays, which it can transpose on the way. All steps except an
// all-reduce do.
template <class P>
inline constexpr bool begins_with_transfers = P::value.size != 0 && P::value[0].what != collective::all_reduce;

template <int... Order, class To, axis_mask Replicated, axis_mask MayHelp, class X>
constexpr auto transpose_into(std::integer_sequence<int, Order...>, destination<To, Replicated, MayHelp> to, X const& x,
                              call_site const& w) {
  using Y = decltype(transpose<Order...>(x));
  using plans = plans_between<mesh_t<Y>, layout_t<Y>, To, MayHelp>;
  if constexpr (!plain_tensor<X> || !begins_with_transfers<plan_number<plans, 0>>) {
    return relayout(to, transpose<Order...>(x), w);
  } else {
    static_assert(
        !elements_lack_the_reduction<plan_number<plans, 0>, element_t<X>>,
        "ashlar::transpose: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them");
    auto&& t = materialize(x);
    return with_extents_of<Y>(with_least_plan<plans, Y>(t.mesh(), shape::of(t.extents()[Order]...), [&]<class P>(P) {
      if constexpr (begins_with_transfers<P>)
        return run_steps<P, 1>(take_step_transposed<P, 0, Order...>(backend_of<X>{}, t, w), w);
      else
        return run_steps<P, 0>(evaluated(transpose<Order...>(t)), w);
    }));
  }
}

}  // namespace ops_detail

/// The dimensions of a tensor in another order, in layout To. The result is redistribute<To>(transpose<Order...>(x)).
/// The first step of the plan transposes the elements that it transfers, so there is no transposed copy.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: the cost of the redistribution.
/// Error: as redistribute; does not compile unless Order names each dimension once.
/// Example: transpose<1, 0>(x<layout<"data", none>>, to_layout<layout<"data", none>>) -> layout<"data", none>
template <int... Order, tensor X, class To>
[[nodiscard]] constexpr auto transpose(X const& x, ops_detail::into_layout<To>, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::transpose_order<layout_t<X>, Order...>>(
      [&](auto const& t) {
        using Y = decltype(transpose<Order...>(t));
        return ops_detail::transpose_into(std::integer_sequence<int, plan_detail::dimension_of<X, Order>...>(),
                                          ops_detail::after_redistribute<To, Y>(), t, w);
      },
      x);
}

}  // namespace ashlar
