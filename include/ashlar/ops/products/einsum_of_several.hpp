// SPDX-License-Identifier: BSL-1.0
// einsum of three and four tensors, multiplied pair by pair in the cheapest order.
#pragma once
#include <utility>

#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/plan/products/contraction_order.hpp"

namespace ashlar {

namespace ops_detail {

// The rule and the extents of all operands together. It has no kernel: pairs are multiplied.
template <equation E>
struct einsum_of_several {
  using diagnostics = einsum_diagnostics;
  static constexpr einsum_equation eq = parse(E, max_operands);
  template <class T, class...>
  using element = T;

  template <class... V>
  static constexpr rule_result rule(V const&... v) {
    layout_value const* const x[]{&v...};
    return einsum_rule(eq, x);
  }
  // The extents of labels, of the whole tensors or of a rank's shards.
  template <class... S>
  static constexpr plan_detail::label_extents extents(S const&... shapes) {
    plan_detail::label_extents n;
    shape const* const x[]{&shapes...};
    for (int o = 0; o < eq.operands; ++o)
      for (int d = 0; d < eq.in[o].rank; ++d) {
        n.set(eq.in[o].label[d], static_cast<double>((*x[o])[d]));
        if (n.of(eq.in[o].label[d]) != static_cast<double>((*x[o])[d]))
          plan_detail::fail_extents("ashlar::einsum: a label has different extents in two operands", *x[0], *x[o]);
      }
    return n;
  }
};

// The orders that a program may need: one if the compiler knows all extents.
template <equation E, class... X>
struct orders_of {
  static constexpr bool is_static = (sizes_are_static<X> && ...);
  static constexpr einsum_equation eq = einsum_of_several<E>::eq;
  using context = mesh_context<mesh_t<first_t<X...>>, layout_t<X>...>;

  template <class... S>
  static constexpr plan_detail::label_extents on_a_rank(mesh_shape const& mesh, S const&... extents) {
    return einsum_of_several<E>::extents(local_shape(extents, value_v<context, layout_t<X>>, mesh, 0)...);
  }
  static constexpr plan_detail::contraction_orders value = [] {
    if constexpr (is_static) {
      plan_detail::contraction_orders one;
      one.add(plan_detail::best_order(eq, on_a_rank(static_sizes<mesh_t<first_t<X...>>>, static_extents_v<X>...)));
      return one;
    } else {
      return plan_detail::contraction_orders(eq);
    }
  }();
};

// Multiplies the pairs of order number I, from step Step on.
template <class Orders, int I, int Step, equation E, class... X>
constexpr auto multiply_pairs(X const&... x) {
  if constexpr (sizeof...(X) == 2) {
    return apply(einsum_op<E>{}, x...);
  } else {
    constexpr einsum_equation e = parse(E, max_operands);
    constexpr int left = Orders::value.order[I].left[Step], right = Orders::value.order[I].right[Step];
    constexpr equation pair = text_of(pair_of(e, left, right)), rest = text_of(after_pair(e, left, right));
    auto const product = apply(einsum_op<pair>{}, operand_at<left>(x...), operand_at<right>(x...));
    auto const at = [&]<int O>(std::integral_constant<int, O>) -> auto const& {
      constexpr int before = O < right ? O : O + 1;
      if constexpr (O == left)
        return std::as_const(product);
      else
        return operand_at<before>(x...);
    };
    return [&]<int... O>(std::integer_sequence<int, O...>) {
      return multiply_pairs<Orders, I, Step + 1, rest>(at(std::integral_constant<int, O>{})...);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(X)) - 1>{});
  }
}
template <class Orders, equation E, int I, class... X>
constexpr auto multiply_in_order(int order, X const&... x) {
  if constexpr (I + 1 < Orders::value.size)
    if (order != I) return multiply_in_order<Orders, E, I + 1>(order, x...);
  return multiply_pairs<Orders, I, 0, E>(x...);
}

template <equation E, class... X>
constexpr auto einsum_pair_by_pair(X const&... x) {
  if constexpr (hold<operands_fit<einsum_of_several<E>, X...>>()) {
    using R = result_of<einsum_of_several<E>, X...>;
    using orders = orders_of<E, X...>;
    {
      named_operands const operands =
          name_operands<typename R::mesh, typename R::c>(symbol_of<einsum_of_several<E>>, x...);
      operands_in_error const here(operands);
      (void)einsum_of_several<E>::extents(x.extents()...);
    }
    int order = 0;
    if constexpr (orders::value.size > 1) {
      auto const& m = first_operand(x...).mesh();
      auto const least = [&] { return orders::value.least(orders::eq, orders::on_a_rank(m.sizes(), x.extents()...)); };
      order = plan_detail::chosen_by_extents<(static_shape<X> && ...)>(m, nullptr, orders::value.size, {}, {}, least);
    }
    return multiply_in_order<orders, E, 0>(order, x...);
  } else {
    return first_operand(x...);
  }
}

}  // namespace ops_detail

/// Sum of products of three or four tensors. They are multiplied pair by pair, in the order of the fewest operations. Of
/// four tensors with extents that the compiler does not know, it is the best of six orders.
/// Shape, Error: as for two tensors. Some may be complex and the others real, of the same precision. The rule for layouts
/// holds for all operands together, so the order does not change the layout of the result, only its rounding.
/// Cost: no communication; two or three products, and the tensors between. Beside complex operands each real one is first
/// copied to complex numbers.
/// Example: einsum<"ij,jk,kl->il">(a<layout<"p", none>>, b<layout<none, none>>, c<layout<none, none>>) ->
///   layout<"p", none>
template <equation E, tensor A, tensor B, tensor C, tensor... D>
constexpr auto einsum(A const& a, B const& b, C const& c, D const&... d) {
  return ops_detail::with_operands_of<E>([](auto const&... x) { return ops_detail::einsum_pair_by_pair<E>(x...); }, a,
                                         b, c, d...);
}

}  // namespace ashlar
