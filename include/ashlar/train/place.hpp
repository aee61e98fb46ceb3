// Brings outputs of layers to the layouts that a strategy gives them.
#pragma once
#include "ashlar/train/strategy.hpp"

namespace ashlar {

namespace train_detail {

// A path that the program names.
template <text_literal Text>
struct named_path {
  static constexpr path_text path = [] {
    path_text p;
    for (unsigned i = 0; i < Text.size; ++i) p.c[p.size++] = Text[i];
    return p;
  }();
};
// True if the model at Path, or below, has a layer (a tree of parameters) with the path Layer.
template <class Layer, class Path, class Model>
constexpr bool has_layer() {
  if constexpr (!tree<Model>) {
    return false;
  } else {
    return equal(path_range<Layer>, path_range<Path>) || []<template <class...> class S, class... M, std::size_t... I>(
                                                             std::type_identity<S<M...>>, std::index_sequence<I...>) {
      return (has_layer<Layer, member_path<Path, S<M...>, I>, M>() || ...);
    }(std::type_identity<Model>{}, std::make_index_sequence<members_of<Model>::count>{});
  }
}
template <class Layer, class Model>
struct model_has_no_such_layer {
  static constexpr bool value = !has_layer<Layer, root, Model>();
};

}  // namespace train_detail

/// Brings the output x of a model's layer to the layout that the strategy gives it. Returns x itself if it gives none.
/// Post: the value is the same. Under differentiation a gathered tensor is invariant, as by all_gather<axis,
/// invariant>, so that it combines with whole weights as any other tensor does. Over axes that split the batch it is
/// replicated, as the weights are.
/// Collective: if redistribute is; every rank calls it.
/// Cost: as redistribute<that layout>(x); a partial sum is reduced.
/// Error: a path without a layer of the model does not compile. Not checked: that the network calls place for every
/// output that has an output_rule.
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
    return redistribute<L>(x, w);  // it has the error sentences
  } else {
    constexpr axis_mask replicated_over = ops_detail::gathered_between<mesh_t<X>, layout_t<X>, L> &
                                          ops_detail::collective_axes<mesh_t<X>, typename Strategy::batch_axes>;
    return relayout(ops_detail::destination<L, replicated_over, ops_detail::axes_with_ranks<mesh_t<X>>>{}, x, w);
  }
}

}  // namespace ashlar
