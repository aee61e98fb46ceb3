// Outputs of layers, in the layouts that a strategy has for them.
#pragma once
#include "ashlar/train/strategy.hpp"

namespace ashlar {

namespace train_detail {

// A place that the program names.
template <text_literal Text>
struct named_path {
  static constexpr path_text path = [] {
    path_text p;
    for (unsigned i = 0; i < Text.size; ++i) p.c[p.size++] = Text[i];
    return p;
  }();
};
// Has the model a layer, which is a tree of parameters, at the path?
template <class Layer, class Path, class Model>
constexpr bool has_layer() {
  if constexpr (!tree<Model>) {
    return false;
  } else {
    return equal(path_range<Layer>, path_range<Path>) ||
           []<template <class...> class S, class... M, std::size_t... I>(std::type_identity<S<M...>>, std::index_sequence<I...>) {
             return (has_layer<Layer, member_path<Path, S<M...>, I>, M>() || ...);
           }(std::type_identity<Model>{}, std::make_index_sequence<members_of<Model>::count>{});
  }
}
template <class Layer, class Model>
struct model_has_no_such_layer {
  static constexpr bool value = !has_layer<Layer, root, Model>();
};

}  // namespace train_detail

/// The output of a model's layer in the layout that the strategy has for it: x itself, where it has none.
/// Post: the value is the same. Under differentiation a gathered value is invariant, as by all_gather<axis, invariant>, so that
/// it meets whole weights as every other does; over axes that split the batch it is replicated, as they are.
/// Collective: where redistribute is; every rank calls it.
/// Cost: what redistribute<that layout>(x) costs; a partial sum is completed.
/// Error: a path at which the model has no layer does not compile. That every output with a rule passes through here is not
/// checked: an output_rule is applied where the network says so.
/// Example: place<model_parallel<"data", output_rule<"d2", layout<"data", none>>>, "d2">(parameters, y)
template <class Strategy, meta_detail::text_literal Layer, class Parameters, tensor X>
[[nodiscard]] constexpr auto place(Parameters const&, X const& x, call_site w = call_site::current()) {
  using Path = train_detail::named_path<Layer>;
  static_assert(!train_detail::model_has_no_such_layer<Path, Parameters>::value,
                "ashlar::place: the model has no layer of this path; name a member of the model that holds parameters");
  using L = typename Strategy::template output_layout<train_detail::layout_place<Path, rank_v<X>>>;
  if constexpr (std::is_void_v<L>) {
    return x;
  } else if constexpr (plan_detail::axes_missing_from_mesh<mesh_t<X>, L>::value || L::rank != rank_v<X>) {
    return redistribute<L>(x, w);  // it has the sentences
  } else {
    constexpr axis_mask replicated_over = ops_detail::gathered_between<mesh_t<X>, layout_t<X>, L> & ops_detail::collective_axes<mesh_t<X>, typename Strategy::batch_axes>;
    return relayout(ops_detail::destination<L, replicated_over, ops_detail::axes_with_ranks<mesh_t<X>>>{}, x, w);
  }
}

}  // namespace ashlar
