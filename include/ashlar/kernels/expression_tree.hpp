// SPDX-License-Identifier: BSL-1.0
// The tree of a fused expression: functions at its nodes, values of arrays at its leaves.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <utility>

namespace ashlar::kernels_detail {

template <std::size_t I, class T>
struct indexed_value {
  T value;
};
template <class Index, class... T>
struct value_pack;
template <std::size_t... I, class... T>
struct value_pack<std::index_sequence<I...>, T...> : indexed_value<I, T>... {
  KOKKOS_FUNCTION explicit value_pack(T... v) : indexed_value<I, T>{v}... {}
};
template <std::size_t I, class T>
KOKKOS_FUNCTION T value_at(indexed_value<I, T> const& v) {
  return v.value;
}

struct leaf_node {
  static constexpr std::size_t leaves = 1;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    return value_at<First>(p);
  }
};
template <class F, class A>
struct unary_node {
  static constexpr std::size_t leaves = A::leaves;
  F f;
  A a;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    return f(a.template evaluate<First>(p));
  }
};
template <class F, class A, class B>
struct binary_node {
  static constexpr std::size_t leaves = A::leaves + B::leaves;
  F f;
  A a;
  B b;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    return f(a.template evaluate<First>(p), b.template evaluate<First + A::leaves>(p));
  }
};
template <class F, class A, class B, class C>
struct ternary_node {
  static constexpr std::size_t leaves = A::leaves + B::leaves + C::leaves;
  F f;
  A a;
  B b;
  C c;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    return f(a.template evaluate<First>(p), b.template evaluate<First + A::leaves>(p),
             c.template evaluate<First + A::leaves + B::leaves>(p));
  }
};
template <class F, class A, class B, class C, class D>
struct quaternary_node {
  static constexpr std::size_t leaves = A::leaves + B::leaves + C::leaves + D::leaves;
  F f;
  A a;
  B b;
  C c;
  D d;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    constexpr std::size_t of_c = First + A::leaves + B::leaves;
    return f(a.template evaluate<First>(p), b.template evaluate<First + A::leaves>(p), c.template evaluate<of_c>(p),
             d.template evaluate<of_c + C::leaves>(p));
  }
};
template <class F, class A, class B, class C, class D, class E>
struct quinary_node {
  static constexpr std::size_t leaves = A::leaves + B::leaves + C::leaves + D::leaves + E::leaves;
  F f;
  A a;
  B b;
  C c;
  D d;
  E e;
  template <std::size_t First, class Pack>
  KOKKOS_FUNCTION auto evaluate(Pack const& p) const {
    constexpr std::size_t of_c = First + A::leaves + B::leaves, of_e = of_c + C::leaves + D::leaves;
    return f(a.template evaluate<First>(p), b.template evaluate<First + A::leaves>(p), c.template evaluate<of_c>(p),
             d.template evaluate<of_c + C::leaves>(p), e.template evaluate<of_e>(p));
  }
};
template <class Node>
struct fused {
  Node node;
  template <class... V>
  KOKKOS_FUNCTION auto operator()(V... v) const {
    return node.template evaluate<0>(value_pack<std::index_sequence_for<V...>, V...>(v...));
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
