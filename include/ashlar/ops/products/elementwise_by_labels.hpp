// SPDX-License-Identifier: BSL-1.0
// Elementwise operations whose operands are aligned by labels, not from the last dimension.
#pragma once
#include "ashlar/ops/products/transpose.hpp"

namespace ashlar {

namespace ops_detail {

// Where the dimensions of operand I are in the result. `order` brings them into the order of the result's labels.
// `missing` are the dimensions of the result that the operand lacks.
template <equation E, int I>
struct alignment {
  static constexpr einsum_equation::labels own = parse(E).in[I], out = parse(E).out;
  static constexpr int absent = out.rank - own.rank;
  struct lists {
    int order[max_rank]{}, missing[max_rank]{};
    bool in_order = true;
  };
  static constexpr lists value = [] {
    lists l;
    int found = 0, lacked = 0;
    for (int d = 0; d < out.rank; ++d) {
      int const at = own.find(out.label[d]);
      if (at < 0) {
        l.missing[lacked++] = d;
      } else {
        l.in_order = l.in_order && at == found;
        l.order[found++] = at;
      }
    }
    return l;
  }();
};

template <equation E>
inline constexpr bool result_has_all_labels = [] {
  constexpr einsum_equation e = parse(E);
  for (int o = 0; o < e.operands; ++o)
    for (int d = 0; d < e.in[o].rank; ++d)
      if (e.out.find(e.in[o].label[d]) < 0) return false;
  return true;
}();
// The first operand that has all labels, or -1.
template <equation E>
inline constexpr int operand_with_all_labels = [] {
  constexpr einsum_equation e = parse(E);
  for (int o = 0; o < e.operands; ++o)
    if (e.in[o].rank == e.out.rank) return o;
  return -1;
}();
template <equation E, class... X>
struct elementwise_labels {
  static constexpr bool dimensions = labels_dimensions_of<E, X...>, kept = result_has_all_labels<E>,
                        whole = operand_with_all_labels<E> >= 0, ok = dimensions && kept && whole;
  static constexpr void say() {
    static_assert(
        dimensions,
        "ashlar::elementwise: the equation has one operand for each tensor, and one label for each dimension");
    static_assert(!dimensions || kept,
                  "ashlar::elementwise: a label that the result lacks would be summed; write einsum, or sum it first");
    static_assert(!dimensions || !kept || whole,
                  "ashlar::elementwise: no operand has all labels of the result; expand one of them, or write einsum");
  }
};

// Operand I with its dimensions in the order of the result.
template <equation E, int I, class X>
constexpr auto in_order_of_result(X const& x) {
  using a = alignment<E, I>;
  if constexpr (a::value.in_order)
    return x;
  else
    return [&]<int... D>(std::integer_sequence<int, D...>) {
      return transpose<a::value.order[D]...>(x);
    }(std::make_integer_sequence<int, a::own.rank>());
}
// Operand I as it meets the operand with all labels, which is in order.
template <equation E, int I, class X, class Like>
constexpr auto aligned(X const& x, Like const& like) {
  using a = alignment<E, I>;
  if constexpr (a::absent == 0)
    return in_order_of_result<E, I>(x);
  else
    return [&]<int... D>(std::integer_sequence<int, D...>) {
      return expand<a::value.missing[D]...>(in_order_of_result<E, I>(x), like);
    }(std::make_integer_sequence<int, a::absent>());
}
template <equation E, class F, class... X>
constexpr auto elementwise_aligned(F const& f, X const&... x) {
  constexpr int whole = operand_with_all_labels<E>;
  auto const& like = in_order_of_result<E, whole>(operand_at<whole>(x...));
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return elementwise(f, aligned<E, I>(operand_at<I>(x...), like)...);
  }(std::make_integer_sequence<int, sizeof...(X)>());
}

}  // namespace ops_detail

/// Applies a function object to each element of one or two tensors, whose dimensions have labels. Each operand is
/// broadcast over the labels that it lacks, even if axes shard them. One operand has all labels.
/// Shape: the result has the labels after ->, in that order.
/// Cost: no communication. An operand whose labels are in another order than the result's is transposed first.
/// Error: labels that no operand has, that would be summed, or that only together cover the result do not compile.
/// Operands whose common labels are sharded otherwise do not compile. Extents that differ throw ashlar::error.
/// Example: elementwise<"ij,i->ij">(std::plus<>{}, x<layout<"data", "model">>, s<layout<"data">>) ->
///   layout<"data", "model">
template <equation E, class F, class... X>
constexpr auto elementwise(F const& f, X const&... x) {
  return meta_detail::checked<layout_detail::is_an_equation<E>, ops_detail::elementwise_labels<E, X...>>(
      [&](auto const&... y) { return ops_detail::elementwise_aligned<E>(f, y...); }, x...);
}

}  // namespace ashlar
