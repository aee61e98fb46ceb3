// Multi-head attention, by tensors whose heads are sharded, and over positions that are.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/ops/attention.hpp"
#include "ashlar/ops/select.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

/// The parameters of a multi-head attention. Axes that shard `heads` of the one shard them of the other.
/// Shape: qkv (3, channels, heads, numbers): of queries, keys, values; out (heads, numbers, channels)
template <class Qkv, class Out>
struct attention_kernels {
  Qkv qkv;
  Out out;
  static constexpr auto names = ashlar::names("qkv", "out");
};

namespace ops_detail {
template <class Kernels>
constexpr auto queries_keys_values(auto const& x, Kernels const& p) {
  return einsum<"bti,cihd->cbthd">(x, p.qkv);
}
constexpr auto attend(auto const& heads, bool causal) {
  return attention(select(heads, 0), select(heads, 1), select(heads, 2), causal);
}
}  // namespace ops_detail

/// Self-attention with several heads: queries, keys and values of each head are products of x with p.qkv; what attention
/// makes of them goes through p.out. Heads may be sharded as the kernels' are, in equal parts or not (Megatron).
/// Shape: x (batch, positions, channels) and p a tree as attention_kernels; result (batch, positions, channels)
/// Pre: x holds all positions and channels.
/// Collective: no communication; the result is partial over the axes that shard heads, for an all_reduce or a reduce_scatter.
/// Cost: four einsums and the scores, batch * heads * positions^2 numbers.
/// Error: those of einsum and attention.
/// Example: x of layout<"data", none, none>, qkv of layout<none, none, "model", none>, out of layout<"model", none, none>:
/// partial<layout<"data", none, none>, "model">
/// Source: Vaswani et al., Attention is all you need, 2017; Shoeybi et al., Megatron-LM, 2019.
template <tensor X, class Kernels>
constexpr auto multi_head_attention(X const& x, Kernels const& p, bool causal = false) {
  return einsum<"bthd,hdo->bto">(ops_detail::attend(ops_detail::queries_keys_values(x, p), causal), p.out);
}

/// The same where axes shard the positions: they are moved to the heads, for which each rank then sees all positions, and
/// back. Any numbers of positions and heads do.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: two all_to_alls over the axes, queries, keys and values in one; and two backward.
/// Example: multi_head_attention<"sequence">(x, p, true) with x of layout<"data", "sequence", none> and whole kernels is of
/// layout<"data", "sequence", none>; with heads sharded over "model", the attention runs in layout<"data", none,
/// axes("model", "sequence"), none>, and the result is partial<layout<"data", "sequence", none>, "model">
/// Source: Jacobs et al., DeepSpeed Ulysses, 2023.
template <dimension Axes, tensor X, class Kernels>
[[nodiscard]] constexpr auto multi_head_attention(X const& x, Kernels const& p, bool causal = false, call_site w = call_site::current()) {
  auto const heads = all_to_all<Axes, 3>(ops_detail::queries_keys_values(x, p), w);
  return einsum<"bthd,hdo->bto">(all_to_all<Axes, 1>(ops_detail::attend(heads, causal), w), p.out);
}

}  // namespace ashlar
