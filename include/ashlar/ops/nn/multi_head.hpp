// SPDX-License-Identifier: BSL-1.0
// Multi-head attention, with sharded heads or with sharded positions.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/ops/nn/attention.hpp"
#include "ashlar/ops/select.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar::ops_detail {

constexpr auto queries_keys_values(auto const& x, auto const& p) { return einsum<"bti,cihd->cbthd">(x, p.qkv); }
constexpr auto attend(auto const& heads, bool causal) {
  return attention(select(heads, 0), select(heads, 1), select(heads, 2), causal);
}

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// The parameters of a multi-head attention. The same axes shard the heads of both.
/// Shape: qkv (3, channels, heads, numbers), for queries, keys and values; out (heads, numbers, channels)
template <class Qkv, class Out>
struct attention_kernels {
  Qkv qkv;
  Out out;
  static constexpr auto names = ashlar::names("qkv", "out");
};

/// Self-attention with several heads. Queries, keys and values of each head are products of x with p.qkv. The result of
/// the attention is multiplied by p.out. Heads are sharded as in the kernels, in equal parts or not (Megatron).
/// Shape: x (batch, positions, channels) and p a tree as attention_kernels; result (batch, positions, channels)
/// Pre: no axis shards the positions and channels of x.
/// Collective: no communication; the result is partial over the axes that shard heads, for an all_reduce or a
/// reduce_scatter.
/// Cost: four einsums and the scores, batch * heads * positions^2 numbers.
/// Error: as einsum and attention.
/// Example: x of layout<"data", none, none>, qkv of layout<none, none, "model", none>, out of
/// layout<"model", none, none>: partial<layout<"data", none, none>, "model">
/// Source: Vaswani et al., Attention is all you need, 2017; Shoeybi et al., Megatron-LM, 2019.
template <tensor X, class Kernels>
constexpr auto multi_head_attention(X const& x, Kernels const& p, bool causal = false) {
  return einsum<"bthd,hdo->bto">(ops_detail::attend(ops_detail::queries_keys_values(x, p), causal), p.out);
}

/// The same for positions that axes shard. An all_to_all moves the axes to the heads, so that each rank sees all
/// positions of its heads; another moves them back. Any numbers of positions and heads work.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: two all_to_alls over the axes, one of them for queries, keys and values together; and two backward.
/// Example: nn::multi_head_attention<"sequence">(x, p, true) with x of layout<"data", "sequence", none> and kernels that no
/// axis shards is of layout<"data", "sequence", none>. With heads sharded over "model", the attention runs in
/// layout<"data", none, axes("model", "sequence"), none>. Its result is
/// partial<layout<"data", "sequence", none>, "model">
/// Source: Jacobs et al., DeepSpeed Ulysses, 2023.
template <dimension Axes, tensor X, class Kernels>
[[nodiscard]] constexpr auto multi_head_attention(X const& x, Kernels const& p, bool causal = false,
                                                  call_site w = call_site::current()) {
  auto const heads = all_to_all<Axes, 3>(ops_detail::queries_keys_values(x, p), w);
  return einsum<"bthd,hdo->bto">(all_to_all<Axes, 1>(ops_detail::attend(heads, causal), w), p.out);
}

}  // namespace ashlar::nn
