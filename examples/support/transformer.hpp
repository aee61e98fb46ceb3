// A transformer over tokens on a mesh of data, model and sequence axes, each layer with its normalisations in front.
#pragma once
#include <ashlar/autodiff/remat.hpp>
#include <ashlar/ops/ops.hpp>
#include <ashlar/train/step.hpp>

#include "rotary.hpp"

/// A language model whose mesh has the axes "data", "model" and "sequence". "data" splits the batch. "model" splits heads,
/// hidden channels and the vocabulary, and positions between layers (Megatron). "sequence" splits the positions
/// everywhere but inside the attention, which has all positions of fewer heads (Ulysses).
/// Source: Shoeybi et al., Megatron-LM, 2019; Korthikanti et al., Reducing activation recomputation, 2022; Jacobs et al.,
/// DeepSpeed Ulysses, 2023.
namespace transformer {

using namespace ashlar;
using namespace ashlar::training;

using grid = mesh<axis<"data">, axis<"model">, axis<"sequence">>;

// [model]
template <class S, class B>
struct scale_and_shift {
  S scale;
  B shift;
  static constexpr auto names = ashlar::names("scale", "shift");
};
template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
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
template <class T, class L, class N>
struct language_model {
  T tokens;
  L layers;
  N last;
  static constexpr auto names = ashlar::names("tokens", "layers", "last");
};

/// The sizes of a model. The heads divide the channels.
struct sizes {
  index_t vocabulary, channels, heads;
};

/// The parameters of a model, whose table of tokens serves both ends.
/// Example: transformer::model<2>({19, 48, 4}); transformer::model<100, true>({19, 48, 4}) is for dry runs, by equal_layers
template <std::size_t Layers, bool AsOne = false>
constexpr auto model(sizes const& n) {
  index_t const c = n.channels;
  auto const norm_of = build<scale_and_shift>(weight{c}.from(initializer::ones), weight{c});
  auto const layer = build<block>(norm_of,
                                  build<nn::attention_kernels>(weight{3, c, n.heads, c / n.heads}.normal(0.1),
                                                               weight{n.heads, c / n.heads, c}.normal(0.05)),
                                  norm_of, build<affine>(weight{c, 4 * c}.normal(0.1), weight{4 * c}),
                                  build<affine>(weight{4 * c, c}.normal(0.05), weight{c}));
  auto const layers = [&] {
    if constexpr (AsOne)
      return equal_layers<Layers>(layer);
    else
      return stack<Layers>(layer);
  }();
  return build<language_model>(weight{n.vocabulary, c}.normal(0.05), layers, norm_of);
}
// [model]

// [layouts]
using text_layout = layout<"data", "sequence">;                         // (batch, positions) of characters
using stream_layout = layout<"data", axes("sequence", "model"), none>;  // between layers: positions over both axes
using layouts = model_parallel<axes("data", "model", "sequence"),       // what splits the characters between layers
                               rule<"tokens", layout<"model", none>>,   // the vocabulary
                               rule<"layers/*/attention/qkv", layout<none, none, "model", none>>,  // heads
                               rule<"layers/*/attention/out", layout<"model", none, none>>,        //
                               rule<"layers/*/up/kernel", layout<none, "model">>,                  // hidden channels
                               rule<"layers/*/up/bias", layout<"model">>,                          //
                               rule<"layers/*/down/kernel", layout<"model", none>>>;
// The same, and what is large in shares over "data" besides.
using fully_sharded = model_parallel<
    axes("data", "model", "sequence"),  //
    rule<"tokens", layout<"model", "data">>, rule<"layers/*/attention/qkv", layout<none, "data", "model", none>>,
    rule<"layers/*/attention/out", layout<"model", none, "data">>, rule<"layers/*/up/kernel", layout<"data", "model">>,
    rule<"layers/*/up/bias", layout<"model">>, rule<"layers/*/down/kernel", layout<"model", "data">>>;
// [layouts]

// [strategies]
// A stage of ZeRO says what is sharded over "data".
template <int Stage>
struct layouts_of : zero<Stage, layouts, fully_sharded> {
  template <int>
  using data_layout = text_layout;
};
// [strategies]

// [whole]
// A layer's parameters as its products take them: an all-gather of each kernel where "data" shards it, else nothing.
constexpr auto whole = [](auto const& p) {
  auto attention = build<nn::attention_kernels>(redistribute<layout<none, none, "model", none>>(p.attention.qkv),
                                                redistribute<layout<"model", none, none>>(p.attention.out));
  auto up = build<affine>(redistribute<layout<none, "model">>(p.up.kernel), p.up.bias);
  auto down = build<affine>(redistribute<layout<"model", none>>(p.down.kernel), p.down.bias);
  return build<block>(p.before_attention, attention, p.before_mlp, up, down);
};
// [whole]

// [attention]
// The rotary embedding encodes positions in queries and keys. It knows the positions of a rank in the whole text. Then
// positions are exchanged for heads, of which a rank sees all positions, and back.
constexpr auto attention_of = [](auto const& x, auto const& p) {
  auto three = einsum<"bti,cihd->cbthd">(x, p.qkv);  // queries, keys and values
  auto turned = apply(rope::rotary<true>{}, three);  //  layout<none, "data", "sequence", "model", none>
  auto heads = all_to_all<"sequence", 3>(turned);    //  layout<none, "data", none, axes("model", "sequence"), none>
  auto seen = nn::attention(select(heads, 0), select(heads, 1), select(heads, 2), true);
  return einsum<"bthd,hdo->bto">(all_to_all<"sequence", 1>(seen), p.out);
};
// [attention]

// [block]
constexpr auto layer_of = [](auto const& x, auto const& p, auto rate, prng_key key) {
  auto h = all_gather<"model">(nn::layer_norm(x, p.before_attention.scale, p.before_attention.shift,
                                              1e-5));  //  layout<"data", "sequence", none>
  auto a = attention_of(h, p.attention);               //  the result is partial over "model"
  auto y = x + dropout(reduce_scatter<"model", 1>(a), rate,
                       fold_in(key, 0));  //  layout<"data", axes("sequence", "model"), none>
  auto g = all_gather<"model">(nn::layer_norm(y, p.before_mlp.scale, p.before_mlp.shift, 1e-5));
  auto u = nn::gelu(einsum<"bti,ij->btj">(g, p.up.kernel) + p.up.bias);  //  layout<"data", "sequence", "model">
  auto d = reduce_scatter<"model", 1>(einsum<"btj,jo->bto">(u, p.down.kernel));
  return y + dropout(d + p.down.bias, rate, fold_in(key, 1));
};
// [block]

// [network]
constexpr auto gathered_layer = [](auto const& x, auto const& p, auto rate, prng_key key) {
  return layer_of(x, whole(p), rate, key);
};

// Where a pass gathers for itself, a tape keeps a layer's shares and what the layer was given, and the backward pass runs it again.
template <bool EachPass = false>
constexpr auto logits_of = [](auto const& p, auto const& characters, auto rate, prng_key key) {
  auto tokens = redistribute<layout<"model", none>>(p.tokens);
  auto x = reduce_scatter<"model", 1>(nn::embedding(tokens, characters));
  auto run = remat_if<EachPass>(gathered_layer);
  auto h = chain(p.layers, dropout(x, rate, fold_in(key, 0)), [&](auto const& y, auto const& layer, std::size_t i) {
    return run(y, layer, rate, fold_in(key, i + 1));
  });
  auto last = all_gather<"model">(nn::layer_norm(h, p.last.scale, p.last.shift, 1e-5));
  return einsum<"bti,vi->btv">(last, tokens);  //  layout<"data", "sequence", "model">: the table serves both ends
};

// The layer of a network that is all of this.
template <std::size_t Layers, bool AsOne = false>
struct language_layer {
  static constexpr layer_name name = "model";
  static constexpr bool gathers_itself = true;
  using input_type = std::int32_t;
  sizes n;
  double rate;

  constexpr auto weights(shape const&) const { return model<Layers, AsOne>(n); }
  constexpr shape outputs(shape const& positions) const { return shape::of(positions[0], n.vocabulary); }
  template <class P, class X, class S, class Path, bool Training>
  constexpr auto operator()(P const& p, X const& characters, layer_call<S, Path, Training> const& call) const {
    using T = element_t<decltype(p.tokens)>;
    return logits_of<S::stage == 3>(p, characters, static_cast<T>(Training ? rate : 0), call.key);
  }
};
template <std::size_t Layers, index_t Positions, bool AsOne = false>
constexpr auto network(sizes const& n, double rate) {
  return sequential<Positions>(language_layer<Layers, AsOne>{n, rate});
}
struct next_character_loss {
  using label_type = std::int32_t;
  constexpr auto operator()(auto const& logits, auto const& next) const {
    return nn::sharded_cross_entropy(logits, next);
  }
};
// [network]

}  // namespace transformer
