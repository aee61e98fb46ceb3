// SPDX-License-Identifier: BSL-1.0
// Networks of layers in order.
#pragma once
#include "ashlar/autodiff/remat.hpp"
#include "ashlar/train/layers/images.hpp"
#include "ashlar/train/layers/norms.hpp"
#include <tuple>

namespace ashlar::train_detail {

template <class Layer>
concept has_variables = requires(Layer const& l, shape const& inputs) { l.variables(inputs); };

// The outputs of a network and its variables after the call.
template <class Y, class V>
struct network_outputs {
  Y outputs;
  V variables;
};

template <class Layer, class X>
struct arguments_of_layer {
  static constexpr bool ok = std::is_invocable_v<Layer const&, X const&>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::sequential: a layer takes (x), (x, call) or, with weights, (parameters, x, call); call it with a tensor to see what fails");
  }
};

constexpr shape outputs_of(auto const& layer, shape const& inputs) {
  if constexpr (requires { layer.outputs(inputs); })
    return layer.outputs(inputs);
  else
    return inputs;
}
// Which trees the layers of a network give.
struct weights_of_layers {
  template <class Layer>
  static constexpr bool has = layer_with_weights<Layer>;
  static constexpr auto of(auto const& layer, shape const& inputs) { return layer.weights(inputs); }
};
struct variables_of_layers {
  template <class Layer>
  static constexpr bool has = has_variables<Layer>;
  static constexpr auto of(auto const& layer, shape const& inputs) { return layer.variables(inputs); }
};

template <class... Layer>
struct layers_in_order {
  std::tuple<Layer...> layers;
  static constexpr std::size_t count = sizeof...(Layer);
  template <std::size_t I>
  using layer = std::tuple_element_t<I, std::tuple<Layer...>>;

  // The tree of what Which says of layers I and after, after `done` of those before.
  template <class Which, std::size_t I = 0, text_literal... Names, class... M>
  constexpr auto trees(shape const& inputs, named_members<Names...> names, M const&... done) const {
    if constexpr (I == count) {
      if constexpr (sizeof...(M) == 0)
        return std::tuple<>();
      else
        return typename named_members<Names...>::template of<M...>(done...);
    } else {
      auto const& own = std::get<I>(layers);
      shape const next = outputs_of(own, inputs);
      if constexpr (Which::template has<layer<I>>)
        return trees<Which, I + 1>(next, named_members<Names..., layer<I>::name>{}, done..., Which::of(own, inputs));
      else
        return trees<Which, I + 1>(next, names, done...);
    }
  }

  constexpr shape outputs(shape s) const {
    std::apply([&](auto const&... l) { ((s = outputs_of(l, s)), ...); }, layers);
    return s;
  }

  // Calls layer I and those after. W and V count parameters and variables, R layers that draw before them.
  template <class Strategy, class Path, bool Training, std::size_t I = 0, std::size_t W = 0, std::size_t V = 0,
            std::uint64_t R = 0, class P, class Vs, class X, class... After>
  constexpr auto call(P const& p, Vs const& v, X const& x, prng_key key, call_site const& w,
                      After const&... after) const {
    if constexpr (I == count) {
      if constexpr (sizeof...(After) == 0)
        return network_outputs<X, std::tuple<>>{x, {}};
      else {
        using Variables = typename members_of<Vs>::template rebind<After...>;
        return network_outputs<X, Variables>{x, Variables{after...}};
      }
    } else if constexpr (layer_with_weights<layer<I>>) {
      using Call = layer_call<Strategy, named_path<Path, layer<I>::name>, Training>;
      auto const own = std::get<I>(layers);
      prng_key const drawn = fold_in(key, ~static_cast<std::uint64_t>(I));
      if constexpr (has_variables<layer<I>>) {
        Call const how{drawn};
        auto const parameters = whole<Strategy, layer<I>>(member<W>(p), w);
        auto const [y, next] = own(parameters, member<V>(v),
                                   inputs_of_layer<layer<I>, std::remove_cvref_t<decltype(parameters)>>(x, w), how);
        return call<Strategy, Path, Training, I + 1, W + 1, V + 1, R>(p, v, how.place(y, w), key, w, after..., next);
      } else {
        // A backward pass runs it again, which outlives the references.
        auto const run = [own, w](auto const& stored, auto const& given, prng_key k) {
          Call const how{k};
          auto const parameters = whole<Strategy, layer<I>>(stored, w);
          auto const& inputs = inputs_of_layer<layer<I>, std::remove_cvref_t<decltype(parameters)>>(given, w);
          if constexpr (std::is_invocable_v<layer<I> const&, decltype(parameters) const&, decltype(inputs),
                                            Call const&>)
            return how.place(own(parameters, inputs, how), w);
          else
            return how.place(own(parameters, inputs), w);
        };
        constexpr bool again = zero_stage<Strategy> == 3 && gathers<Strategy, layer<I>, decltype(member<W>(p))>;
        auto const y = remat_if<again>(run)(member<W>(p), x, drawn);
        return call<Strategy, Path, Training, I + 1, W + 1, V, R>(p, v, y, key, w, after...);
      }
    } else {
      using Call = layer_call<Strategy, Path, Training>;
      auto const& own = std::get<I>(layers);
      if constexpr (std::is_invocable_v<layer<I> const&, X const&, Call const&>) {
        Call const how{R == 0 ? key : fold_in(key, R)};
        return call<Strategy, Path, Training, I + 1, W, V, R + 1>(p, v, own(x, how), key, w, after...);
      } else if constexpr (meta_detail::hold<arguments_of_layer<layer<I>, X>>()) {
        return call<Strategy, Path, Training, I + 1, W, V, R>(p, v, own(x), key, w, after...);
      } else {
        return call<Strategy, Path, Training, I + 1, W, V, R>(p, v, x, key, w, after...);
      }
    }
  }
};

template <bool Distinct>
struct names_of_layers {
  static constexpr bool ok = Distinct;
  static constexpr void say() {
    static_assert(ok, "ashlar::training::sequential: two layers have one name; give each layer a name of its own");
  }
};
template <class A, class B>
constexpr bool have_one_name() {
  if constexpr (layer_with_weights<A> && layer_with_weights<B>)
    return A::name == B::name;
  else
    return false;
}
template <class First, class... More>
constexpr bool names_differ() {
  if constexpr (sizeof...(More) == 0)
    return true;
  else
    return (!have_one_name<First, More>() && ...) && names_differ<More...>();
}

template <text_literal Name, bool Residual, class... Layer>
struct block_layer {
  static constexpr auto name = Name;
  layers_in_order<Layer...> inner;

  constexpr auto weights(shape const& inputs) const {
    if (Residual && !(inner.outputs(inputs) == inputs))
      meta_detail::fail(
          "ashlar::training::sequential: the layers of a residual give other extents than they take; end them with a layer of as many units as the inputs have");
    return inner.template trees<weights_of_layers>(inputs, named_members<>{});
  }
  constexpr auto variables(shape const& inputs) const
    requires(has_variables<Layer> || ...)
  {
    return inner.template trees<variables_of_layers>(inputs, named_members<>{});
  }
  constexpr shape outputs(shape const& inputs) const { return inner.outputs(inputs); }

  template <class P, class X, class Strategy, class Path, bool Training>
  constexpr auto operator()(P const& p, X const& x, layer_call<Strategy, Path, Training> const& call) const {
    return run(p, std::tuple<>(), x, call).outputs;
  }
  template <class P, class V, class X, class Strategy, class Path, bool Training>
  constexpr auto operator()(P const& p, V const& v, X const& x,
                            layer_call<Strategy, Path, Training> const& call) const {
    return run(p, v, x, call);
  }

 private:
  template <class P, class V, class X, class Strategy, class Path, bool Training>
  constexpr auto run(P const& p, V const& v, X const& x, layer_call<Strategy, Path, Training> const& call) const {
    auto const whole_x = plan_detail::materialize(x);
    auto const after = inner.template call<Strategy, Path, Training>(p, v, whole_x, call.key, call_site::current());
    if constexpr (Residual) {
      auto const y = whole_x + after.outputs;
      return network_outputs<std::remove_const_t<decltype(y)>, std::remove_cvref_t<decltype(after.variables)>>{
          y, after.variables};
    } else {
      return after;
    }
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A network of layers in order. It holds no numbers: `weights()` are the shapes of its parameters, a tree with the names
/// of the layers, and `init` makes them on a mesh.
/// Example: auto p = init<data_parallel<"data">>(m, network.weights(), prng_key{1}); p["d1"_n].kernel
template <int Rank, class... Layer>
struct network_of_layers {
  shape inputs;  ///< of an example
  train_detail::layers_in_order<Layer...> layers;

  static constexpr int input_rank = Rank;  ///< of an example
  /// The shapes of the parameters, and of the variables that training changes without a gradient.
  constexpr auto weights() const {
    return layers.template trees<train_detail::weights_of_layers>(inputs, meta_detail::named_members<>{});
  }
  constexpr auto variables() const {
    return layers.template trees<train_detail::variables_of_layers>(inputs, meta_detail::named_members<>{});
  }
  /// The extents of the outputs of an example.
  constexpr shape outputs() const { return layers.outputs(inputs); }

  /// The outputs for inputs x (batch, inputs...), and the variables after the call.
  /// Collective: if layers are, or output_rules of the strategy.
  /// Example: network.template call<data_parallel<"data">, false>(p, v, x, prng_key{0}).outputs
  template <class Strategy, bool Training, class P, class V, tensor X>
  constexpr auto call(P const& parameters, V const& variables, X const& x, prng_key key,
                      call_site w = call_site::current()) const {
    return layers.template call<Strategy, train_detail::root, Training>(parameters, variables, x, key, w);
  }
};

/// Layers in order, for inputs of these extents: one number, or height, width and channels of images. A layer is one of
/// dense, conv2d, embedding, max_pool2d, average_pool2d, global_average_pool, flatten, dropout, rescaling, layer_norm,
/// batch_norm, residual and block, an activation such as relu(), any callable of a tensor, or a class of one's own.
/// Error: two layers of one name do not compile. Extents that do not fit do not compile in a constant expression;
/// else ashlar::error names them.
/// Example: constexpr auto net = sequential<784>(dense<"d1", 256>(relu()), dropout(0.1), dense<"d2", 10>());
template <index_t... Inputs, class... Layer>
constexpr auto sequential(Layer... layers) {
  static_assert(sizeof...(Inputs) > 0,
                "ashlar::training::sequential: give the extents of an example, as in sequential<784>(...)");
  static_assert(
      (layer_with_weights<Layer> || ...),
      "ashlar::training::sequential: no layer has parameters, so nothing can be trained; add one, such as dense<\"d1\", 10>()");
  train_detail::names_of_layers<train_detail::names_differ<Layer...>()>::say();
  network_of_layers<static_cast<int>(sizeof...(Inputs)), Layer...> const n{shape::of(Inputs...), {{layers...}}};
  if constexpr (sizeof...(Inputs) > 0) (void)n.weights();  // checks the extents
  return n;
}

/// Layers in order as one layer, whose parameters are below its name: "b1/d1/kernel".
/// Example: block<"b1">(dense<"d1", 64>(relu()), dense<"d2", 64>())
template <meta_detail::text_literal Name, class... Layer>
constexpr train_detail::block_layer<Name, false, Layer...> block(Layer... layers) {
  return {{{layers...}}};
}
/// Layers as one layer that adds its inputs: x + layers(x).
/// Example: sequential<64>(residual<"r1">(dense<"d1", 256>(relu()), dense<"d2", 64>()), dense<"d3", 10>())
template <meta_detail::text_literal Name, class... Layer>
constexpr train_detail::block_layer<Name, true, Layer...> residual(Layer... layers) {
  return {{{layers...}}};
}

/// The name of a member of parameters, as an index: parameters["d1"_n].
/// Example: t.parameters()["d1"_n].kernel
template <meta_detail::text_literal Name>
constexpr meta_detail::member_name<Name> operator""_n() {
  return {};
}

}  // namespace ashlar::training
