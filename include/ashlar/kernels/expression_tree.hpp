// SPDX-License-Identifier: BSL-1.0
// The tree of a fused expression: functions at its nodes, values of arrays at its leaves.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/meta/product.hpp"
#include <Kokkos_Macros.hpp>
#include <utility>

namespace ashlar::kernels_detail {

// The value of an array: leaf `First` of the expression.
struct leaf_node {
  static constexpr int leaves = 1;
  template <int First, class Values>
  KOKKOS_FUNCTION auto evaluate(Values const& v) const {
    return get<First>(v);
  }
};
// A function of the values of its operands. Their leaves follow each other, and `First` is the first of them.
template <class F, class... Operand>
struct function_node {
  static constexpr int leaves = (Operand::leaves + ...);
  F f;
  product<Operand...> operands;
  template <int First, class Values>
  KOKKOS_FUNCTION auto evaluate(Values const& v) const {
    return evaluate<First>(v, std::make_integer_sequence<int, static_cast<int>(sizeof...(Operand))>{});
  }

 private:
  static constexpr int leaves_before(int operand) {
    constexpr int of[]{Operand::leaves...};
    int n = 0;
    for (int i = 0; i < operand; ++i) n += of[i];
    return n;
  }
  template <int First, class Values, int... I>
  KOKKOS_FUNCTION auto evaluate(Values const& v, std::integer_sequence<int, I...>) const {
    return f(get<I>(operands).template evaluate<First + leaves_before(I)>(v)...);
  }
};
template <class Node>
struct fused {
  Node node;
  template <class... V>
  KOKKOS_FUNCTION auto operator()(V... v) const {
    return node.template evaluate<0>(product<V...>(v...));
  }
};

// Strides of an array of extents e in loops of extents `out`, aligned at the last dimension. A stretched dimension has
// stride 0.
inline void broadcast_strides(shape const& e, shape const& out, index_t const* own, index_t* stride) {
  for (int d = 0; d < out.rank; ++d) {
    int const i = d - (out.rank - e.rank);
    stride[d] = i < 0 || (e[i] == 1 && out[d] != 1) ? 0 : own[i];
  }
}

}  // namespace ashlar::kernels_detail
