// Attention, and rows of a table for integers.
#pragma once
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/gather.hpp"
#include "ashlar/ops/softmax.hpp"

namespace ashlar {

namespace ops_detail {

/// Softmax over the last dimension of what is not after the row's own position: element j of the row whose index in the
/// dimension before the last is i takes part where j <= i, and is 0 elsewhere.
struct causal_softmax_op : softmax_like_op<causal_softmax_op, softmax_pullback_op> {};

// 1 / sqrt(n), in constant evaluation too. Newton's iteration halves the exponent, then doubles the digits.
constexpr double inverse_root(index_t n) {
  auto const square = static_cast<double>(n);
  double root = 1;
  for (int i = 0; i < 64; ++i) root = (root + square / root) / 2;
  return 1 / root;
}

template <class... L>
struct no_heads {
  static constexpr bool value = ((L::rank != 4) || ...);
};
template <class I>
struct indices_are_no_integers {
  static constexpr bool value = std::is_floating_point_v<I>;
};

}  // namespace ops_detail

/// exp(x) / sum of exp(x) over the elements of a row up to the row's own position, 0 beyond.
/// Shape: that of x (..., rows, columns). Pre: the last dimension is whole; rows may be sharded. Cost: no communication.
template <tensor X>
constexpr auto causal_softmax(X const& x) {
  return apply(ops_detail::causal_softmax_op{}, x);
}

/// softmax(q k' / sqrt(d)) v for each head; where causal, a position sees none after it.
/// Shape: q (batch, positions, heads, d), k and v (batch, other positions, heads, d); result as q, with v's last extent.
/// Pre: k and v hold all positions; q's may be sharded, batch and heads alike in all three.
/// Cost: no communication; scores of batch * heads * positions^2 numbers.
/// Example: all of layout<"data", none, "model", none>: the result too
template <tensor Q, tensor K, tensor V>
constexpr auto attention(Q const& q, K const& k, V const& v, bool causal = false) {
  if constexpr (ops_detail::no_heads<layout_t<Q>, layout_t<K>, layout_t<V>>::value) {
    static_assert(!ops_detail::no_heads<layout_t<Q>, layout_t<K>, layout_t<V>>::value,
                  "ashlar::attention: queries, keys and values have four dimensions, (batch, positions, heads, numbers); cut the heads out by unflatten");
    return q;
  } else {
    using T = element_t<Q>;
    auto const scores = einsum<"bqhd,bkhd->bhqk">(q * static_cast<T>(ops_detail::inverse_root(q.extents()[3])), k);
    auto const weights = causal ? causal_softmax(scores) : softmax(scores);
    return einsum<"bhqk,bkhd->bqhd">(weights, v);
  }
}

/// Rows of a table for integers: take(table, indices). The derivative adds up the cotangents of equal indices.
/// Cost: no communication; where axes shard the table's rows (a vocabulary), the result is partial over them.
/// Example: table layout<"model", none>, indices layout<"data", none>: partial<layout<"data", none, none>, "model">
template <tensor Table, tensor Index>
constexpr auto embedding(Table const& table, Index const& indices) {
  static_assert(!ops_detail::indices_are_no_integers<element_t<Index>>::value, "ashlar::embedding: indices are integers; cast them");
  return take(table, indices);
}

}  // namespace ashlar
