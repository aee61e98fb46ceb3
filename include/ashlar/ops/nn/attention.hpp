// SPDX-License-Identifier: BSL-1.0
// Attention, and embedding: rows of a table by integer index.
#pragma once
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/ops/arrays/gather.hpp"
#include "ashlar/ops/nn/softmax.hpp"

namespace ashlar::ops_detail {

/// Softmax over the last dimension with a causal mask. A row has index i in the dimension before the last. Its elements
/// j <= i take part; its elements j > i become 0.
struct causal_softmax_op : softmax_like_op<softmax_pullback_op> {};

// 1 / sqrt(n), in constant expressions too. A step of Newton's iteration first halves the exponent, later doubles the
// number of correct digits.
constexpr double inverse_root(index_t n) {
  auto const square = static_cast<double>(n);
  double root = 1;
  for (int i = 0; i < 64; ++i) root = (root + square / root) / 2;
  return 1 / root;
}

template <class... X>
struct attention_operands {
  static constexpr bool heads = ((rank_v<X> == 4) && ...), elements = real_or_complex_elements<first_t<X...>>,
                        ok = heads && elements;
  static constexpr void say() {
    static_assert(
        heads,
        "ashlar::nn::attention: queries, keys and values have four dimensions, (batch, positions, heads, numbers); cut the heads out by unflatten");
    static_assert(!heads || elements, "ashlar::nn::attention: the elements are integers; write cast<double>(x)");
  }
};
template <class Index>
struct embedding_index {
  static constexpr bool ok = has_indices<Index>;
  static constexpr void say() {
    static_assert(ok, "ashlar::nn::embedding: indices are integers; write cast<int>(indices)");
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// exp(x) / sum of exp(x) over the elements of a row up to the row's own position, and 0 after it.
/// Shape: as x (..., rows, columns).
/// Pre: no axis shards the last dimension; rows may be sharded.
/// Cost: no communication.
/// Error: integers do not compile.
/// Example: nn::causal_softmax(s<layout<"data", none, none>>) -> layout<"data", none, none>
template <tensor X>
constexpr auto causal_softmax(X const& x) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::nn::causal_softmax: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::causal_softmax_op{}, x);
}

/// softmax(q k' / sqrt(d)) v per head. If `causal`, a position does not see later positions.
/// Shape: q (batch, positions, heads, d), k and v (batch, other positions, heads, d); result as q, with the last extent
/// of v.
/// Pre: no axis shards the positions of k and v. The positions of q may be sharded. Batch and heads may be sharded,
/// alike in all three.
/// Cost: no communication; memory for the scores, batch * heads * positions^2 numbers.
/// Error: queries, keys and values of integers, or that have not four dimensions, do not compile. For layouts: as einsum
/// and softmax.
/// Example: nn::attention(q<layout<"data", none, "model", none>>, q, q) -> layout<"data", none, "model", none>
template <tensor Q, tensor K, tensor V>
constexpr auto attention(Q const& q, K const& k, V const& v, bool causal = false) {
  return meta_detail::checked<ops_detail::attention_operands<Q, K, V>>(
      [&]<class X>(X const& queries, auto const& keys, auto const& values) {
        auto const scale = static_cast<element_t<X>>(ops_detail::inverse_root(queries.extents()[3]));
        auto const scores = einsum<"bqhd,bkhd->bhqk">(queries * scale, keys);
        auto const weights = causal ? causal_softmax(scores) : softmax(scores);
        return einsum<"bhqk,bkhd->bqhd">(weights, values);
      },
      q, k, v);
}

/// Rows of a table by integer index: take(table, indices). The derivative adds up the cotangents of equal indices.
/// Cost: no communication; if axes shard the table's rows (a vocabulary), the result is partial over them.
/// Error: indices that are no integers do not compile. An index outside throws ashlar::error, as in take.
/// Example: nn::embedding(t<layout<"model", none>>, i<layout<"data", none>, int>) ->
///   partial<layout<"data", none, none>, "model">
template <tensor Table, tensor Index>
constexpr auto embedding(Table const& table, Index const& indices, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::embedding_index<Index>>(
      [&](auto const& t, auto const& i) { return take(t, i, w); }, table, indices);
}

}  // namespace ashlar::nn
