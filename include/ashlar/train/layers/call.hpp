// SPDX-License-Identifier: BSL-1.0
// The way in which a network calls its layers.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/strategies/place.hpp"
#include "ashlar/train/strategies/zero.hpp"

namespace ashlar::train_detail {

template <class Path, class Layout>
struct output_of_layer {
  static constexpr bool ok = !plan_detail::layout_is_partial<Layout>::value;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::sequential: the output of a layer is partial, since an axis shards the inputs of its kernel; give the strategy a rule for it, as in output_rule<\"d2\", layout<\"data\", none>>");
  }
};

// The layout of a parameter without the axes that split the batch.
template <class Strategy, class X>
inline constexpr axis_mask batch_axes_of = ops_detail::collective_axes<mesh_t<X>, typename Strategy::batch_axes>;
template <class Strategy, class X>
struct whole_layout {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  static constexpr layout_value value = layout_detail::value_v<c, layout_t<X>>.without(batch_axes_of<Strategy, X>);
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The call of a layer: the last argument of its operator(), which a layer may leave out.
/// Example: a layer that adds noise while the network trains, and has no parameters:
///   template <tensor X, class Call> constexpr auto operator()(X const& x, Call const& call) const {
///     if constexpr (Call::training) return x + normal<element_t<X>, layout_t<X>>(x.mesh(), x.extents(), call.key);
///     else return x; }
template <class Strategy, class Path, bool Training>
struct layer_call {
  static constexpr bool training = Training;  ///< else the network is evaluated.
  prng_key key;                               ///< for random numbers. It differs from layer to layer and step to step.

  /// Brings y to the layout that an output_rule of the strategy gives to the layer. Returns y itself if none does.
  /// Collective, Cost: as `place`. A layer calls it where its rule is to act; its result has the layout in any case.
  template <tensor Y>
  [[nodiscard]] constexpr auto place(Y const& y, call_site w = call_site::current()) const {
    return train_detail::placed<Strategy, Path>(y, w);
  }
  /// The same for a product of parameters, which may be partial.
  /// Error: a product that stays partial does not compile.
  template <tensor Y>
  [[nodiscard]] constexpr auto completed(Y const& y, call_site w = call_site::current()) const {
    if constexpr (!plan_detail::layout_is_partial<layout_t<Y>>::value) {
      return y;
    } else {
      auto const z = place(y, w);
      if constexpr (meta_detail::hold<train_detail::output_of_layer<Path, layout_t<decltype(z)>>>())
        return z;
      else
        return all_reduce(z, w);
    }
  }
};

/// The name of a layer. Example: static constexpr layer_name name = "scale";
using layer_name = meta_detail::text_literal;

/// A layer with parameters: an object with a static layer_name `name`, and weights(shape), the tree of its parameters for inputs of
/// these extents. Extents are of one example, without the batch. If it has a static `gathers_itself`, it gets parameters as they
/// are stored; else those that axes of the batch shard are gathered for it.
template <class Layer>
concept layer_with_weights = requires(Layer const& l, shape const& inputs) {
  l.weights(inputs);
  Layer::name;
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

/// The parameters of a layer as it uses them: gathered over the axes that split the batch, as fully sharded ones are.
template <class Strategy, class Layer, class P>
constexpr auto whole(P const& parameters, call_site const& w) {
  if constexpr (requires { Layer::gathers_itself; })
    return parameters;
  else
    return map(
        [&]<class X>(X const& x) {
          using L = typename whole_layout<Strategy, X>::type;
          if constexpr (std::is_same_v<L, layout_t<X>>)
            return x;
          else
            return redistribute<L>(x, w);
        },
        parameters);
}

// The axes that shard or split the parameters P of a layer.
template <class P>
inline constexpr axis_mask axes_of_parameters = autodiff_detail::named_of<P>;
template <template <class...> class S, class... M>
  requires meta_detail::is_tree_v<S<M...>>
inline constexpr axis_mask axes_of_parameters<S<M...>> = (axes_of_parameters<std::remove_cvref_t<M>> | ... | 0u);

/// The inputs of a layer with parameters P. Ranks that have other columns of a kernel have other terms of the cotangent, so
/// inputs that these axes do not shard are replicated over them (Megatron's f). A layer that gathers for itself does this, too.
/// Cost: forward none; backward an all-reduce over these axes, unless nothing before the layer has parameters.
template <class Layer, class P, class X>
constexpr auto inputs_of_layer(X const& x, call_site const& w) {
  if constexpr (requires { Layer::gathers_itself; }) {
    return x;
  } else if constexpr (active_value<X>) {
    constexpr axis_mask over = axes_of_parameters<P> & ~autodiff_detail::named_of<X> & ~X::replicated;
    if constexpr (over != 0)
      return relayout(ops_detail::destination<layout_t<X>, over>{}, x, w);
    else
      return x;
  } else {
    return x;
  }
}

// True if some parameter is gathered.
template <class Strategy, class Layer, class P>
inline constexpr bool gathers =
    !std::is_same_v<decltype(whole<Strategy, Layer>(std::declval<P>(), call_site{})), std::remove_cvref_t<P>>;

}  // namespace ashlar::train_detail
