// A transformer over characters, each layer with its normalisations in front, on a mesh of data, model and sequence axes.
#pragma once
#include <ashlar/autodiff/remat.hpp>
#include <ashlar/plan/plan.hpp>
#include <ashlar/train/clip.hpp>
#include <ashlar/train/strategy.hpp>

#include "layers.hpp"

namespace transformer {

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">, axis<"sequence">>;

// [model]
template <class S, class B>
struct scale_and_shift {
  S scale;
  B shift;
  static constexpr auto names = ashlar::names("scale", "shift");
};
template <class N1, class A, class N2, class U, class D>
struct block {
  N1 before_attention;
  A attention;
  N2 before_mlp;
  U up;
  D down;
  static constexpr auto names = ashlar::names("before_attention", "attention", "before_mlp", "up", "down");
};
template <class T, class P, class L, class N>
struct characters {
  T tokens;
  P positions;
  L layers;
  N last;
  static constexpr auto names = ashlar::names("tokens", "positions", "layers", "last");
};

struct sizes {
  index_t vocabulary, positions, channels, heads;
};

template <std::size_t Layers>
constexpr auto model(sizes const& n) {
  index_t const c = n.channels;
  auto const norm_of = build<scale_and_shift>(weight{c}.from(initializer::ones), weight{c});
  auto const layer = build<block>(norm_of, build<attention_kernels>(weight{3, c, n.heads, c / n.heads}.normal(0.1), weight{n.heads, c / n.heads, c}.normal(0.05)),
                                  norm_of, build<affine>(weight{c, 4 * c}.normal(0.1), weight{4 * c}), build<affine>(weight{4 * c, c}.normal(0.05), weight{c}));
  return build<characters>(weight{n.vocabulary, c}.normal(0.05), weight{n.positions, c}.normal(0.05), stack<Layers>(layer), norm_of);
}
// [model]

// [layouts]
using layouts = model_parallel<axes("data", "sequence"),                                            // what splits the batch
                               rule<"tokens", layout<"model", none>>,                               // the vocabulary
                               rule<"layers/.*/attention/qkv", layout<none, none, "model", none>>,  // heads
                               rule<"layers/.*/attention/out", layout<"model", none, none>>,        //
                               rule<"layers/.*/up/kernel", layout<none, "model">>,                  // hidden channels
                               rule<"layers/.*/up/bias", layout<"model">>,                          //
                               rule<"layers/.*/down/kernel", layout<"model", none>>>;
// The same, and what is large in shares over "data" besides: ZeRO 3.
using fully_sharded = model_parallel<axes("data", "sequence"),  //
                                     rule<"tokens", layout<"model", "data">>,
                                     rule<"layers/.*/attention/qkv", layout<none, "data", "model", none>>,
                                     rule<"layers/.*/attention/out", layout<"model", none, "data">>,
                                     rule<"layers/.*/up/kernel", layout<"data", "model">>,
                                     rule<"layers/.*/up/bias", layout<"model">>,
                                     rule<"layers/.*/down/kernel", layout<"model", "data">>>;
using text_layout = layout<"data", "sequence">;                         // (batch, positions) of characters
using stream_layout = layout<"data", axes("sequence", "model"), none>;  // between layers: positions over both axes
// [layouts]

// [whole]
// A layer's parameters as its products take them: an all-gather of each kernel where "data" shards it, else nothing.
constexpr auto whole = [](auto const& p) {
  auto attention = build<attention_kernels>(redistribute<layout<none, none, "model", none>>(p.attention.qkv), redistribute<layout<"model", none, none>>(p.attention.out));
  auto up = build<affine>(redistribute<layout<none, "model">>(p.up.kernel), p.up.bias);
  auto down = build<affine>(redistribute<layout<"model", none>>(p.down.kernel), p.down.bias);
  return build<block>(p.before_attention, attention, p.before_mlp, up, down);
};
// Then a tape keeps the shards and what the layer was given, and the backward pass gathers again.
template <class Layer>
inline constexpr bool gathers_again = !std::is_same_v<layout_t<decltype(std::declval<Layer>().up.kernel)>, layout<none, "model">>;
// [whole]

// [block]
constexpr auto layer_of = [](auto const& x, auto const& shards, auto rate, prng_key key) {
  auto p = whole(shards);
  auto h = all_gather<"model">(layer_norm(x, p.before_attention.scale, p.before_attention.shift, 1e-5));  //  layout<"data", "sequence", none>
  auto a = multi_head_attention<"sequence">(h, p.attention, true);                                        //  a sum pends over "model"
  auto y = x + dropout(reduce_scatter<"model", 1>(a), rate, fold_in(key, 0));                             //  layout<"data", axes("sequence", "model"), none>
  auto g = all_gather<"model">(layer_norm(y, p.before_mlp.scale, p.before_mlp.shift, 1e-5));
  auto u = gelu(einsum<"bti,ij->btj">(g, p.up.kernel) + p.up.bias);                                       //  layout<"data", "sequence", "model">
  auto d = reduce_scatter<"model", 1>(einsum<"btj,jo->bto">(u, p.down.kernel));
  return y + dropout(d + p.down.bias, rate, fold_in(key, 1));
};
// [block]

// [network]
constexpr auto logits_of = [](auto const& p, auto const& characters, auto rate, prng_key key) {
  auto here = redistribute<layout<axes("sequence", "model"), none>>(p.positions);  // each rank its rows
  auto tokens = redistribute<layout<"model", none>>(p.tokens);
  auto x = reduce_scatter<"model", 1>(embedding(tokens, characters)) + here;
  auto h = chain(p.layers, dropout(x, rate, fold_in(key, 0)), [&](auto const& y, auto const& layer, std::size_t i) {
    if constexpr (gathers_again<std::remove_cvref_t<decltype(layer)>>)
      return remat(layer_of)(y, layer, rate, fold_in(key, i + 1));
    else
      return layer_of(y, layer, rate, fold_in(key, i + 1));
  });
  auto last = all_gather<"model">(layer_norm(h, p.last.scale, p.last.shift, 1e-5));
  return einsum<"bti,vi->btv">(last, tokens);  //  layout<"data", "sequence", "model">: the table serves both ends
};

constexpr auto loss = [](auto const& p, auto const& characters, auto const& next, auto rate, prng_key key) {
  return vocabulary_cross_entropy(logits_of(p, characters, rate, key), next);
};
// [network]

// [step]
constexpr auto gradients_of = [](auto const& p, auto const& characters, auto const& next, auto rate, prng_key key) {
  auto [value, gradients] = value_and_grad<axes("data", "model", "sequence")>(loss)(p, characters, next, rate, key);
  return all_reduce(bundle(value, gradients));  // two messages: what "model" shards, and what it replicates
};

constexpr auto step = [](auto const& optimizer, auto& p, auto& state, auto const& characters, auto const& next, auto rate, prng_key key) {
  auto [l, reduced] = gradients_of(p, characters, next, rate, key);
  auto [gradients, norm] = clip_by_global_norm(reduced, 1.0);
  optimizer.update(p, state, gradients);
  return std::pair{l, norm};
};
// [step]

}  // namespace transformer
