// SPDX-License-Identifier: BSL-1.0
// Brings outputs of layers to the layouts that a strategy gives them.
#pragma once
#include "ashlar/plan/dry_run.hpp"
#include "ashlar/train/strategies/strategy.hpp"

namespace ashlar::train_detail {

// True if the model at Path, or below, has a layer (a tree of parameters) with the path Layer.
template <class Layer, class Path, class Model>
constexpr bool has_layer() {
  if constexpr (!tree<Model>) {
    return false;
  } else {
    return path_range<Layer> == path_range<Path> || []<template <class...> class S, class... M, std::size_t... I>(
                                                        std::type_identity<S<M...>>, std::index_sequence<I...>) {
      return (has_layer<Layer, member_path<Path, S<M...>, I>, M>() || ...);
    }(std::type_identity<Model>{}, std::make_index_sequence<members_of<Model>::count>{});
  }
}

// The number of the rule that gives the output of a layer its layout. It is no_rule if the strategy has no rules.
template <class Layer, class B, class... R>
constexpr int output_rule_number(layout_map<B, R...> const*) {
  return rule_at<true, Layer, R...>;
}
template <class Layer>
constexpr int output_rule_number(...) {
  return no_rule;
}

// Tells the dry run of places_all, or another recorder, that an output was placed.
template <class Strategy, class Layer, class Handle>
constexpr void note_placed(Handle const& m) {
  constexpr int number = output_rule_number<Layer>(static_cast<Strategy*>(nullptr));
  if constexpr (number >= 0 && number < 64)
    if (m.recorder()) m.recorder()->placed |= 1ull << number;
}

// Brings the output of the layer Path to the layout that the strategy gives it.
template <class Strategy, class Path, class X>
constexpr auto placed(X const& x, call_site const& w) {
  using L = typename Strategy::template output_layout<layout_place<Path, rank_v<X>>>;
  if constexpr (std::is_void_v<L>) {
    return x;
  } else if constexpr (plan_detail::axes_missing_from_mesh<mesh_t<X>, L>::value || L::rank != rank_v<X>) {
    return redistribute<L>(x, w);  // it has the error sentences
  } else {
    note_placed<Strategy, Path>(x.mesh());
    constexpr axis_mask replicated_over = ops_detail::gathered_between<mesh_t<X>, layout_t<X>, L> &
                                          ops_detail::collective_axes<mesh_t<X>, typename Strategy::batch_axes>;
    return relayout(ops_detail::destination<L, replicated_over, ops_detail::axes_with_ranks<mesh_t<X>>>{}, x, w);
  }
}

template <class Rule>
constexpr void require_placed(bool placed) {
  // Compilers print the line on which a call begins.
  // clang-format off
  if (Rule::of_output && !placed)
    meta_detail::fail("ashlar::training::places_all: the network never places the output that an output_rule is for; write place<Strategy, \"its path\">(p, y), or leave the rule out");
  // clang-format on
}
template <class B, class... R>
constexpr bool require_few_rules(layout_map<B, R...> const*) {
  static_assert(
      sizeof...(R) <= 64,
      "ashlar::training::places_all: a strategy has at most 64 rules here; let one pattern serve several layers");
  return sizeof...(R) <= 64;
}
template <class B, class... R>
constexpr void require_all_placed(layout_map<B, R...> const*, unsigned long long placed) {
  int i = 0;
  (require_placed<R>((placed >> i++ & 1u) != 0), ...);
}

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Brings the output x of a model's layer to the layout that the strategy gives it. Returns x itself if it gives none.
/// Post: the value is the same. Under differentiation a gathered tensor is invariant, as by all_gather<axis,
/// invariant>, so that it combines with whole weights as any other tensor does. Over axes that split the batch it is
/// replicated, as the weights are.
/// Collective: if redistribute is; every rank calls it.
/// Cost: as redistribute<that layout>(x); a partial sum is reduced.
/// Error: a path without a layer of the model does not compile. `places_all` finds an output_rule that place never uses.
/// Example: place<model_parallel<"data", output_rule<"d2", layout<"data", none>>>, "d2">(parameters, y)
template <class Strategy, meta_detail::text_literal Layer, class Parameters, tensor X>
[[nodiscard]] constexpr auto place(Parameters const&, X const& x, call_site w = call_site::current()) {
  using Path = train_detail::named_path<train_detail::root, Layer>;
  static_assert(
      train_detail::has_layer<Path, train_detail::root, Parameters>(),
      "ashlar::training::place: the model has no layer of this path; name a member of the model that holds parameters");
  return train_detail::placed<Strategy, Path>(x, w);
}

/// Dry run: true if each output_rule of the strategy serves an output that the program places. `program(m)` makes its
/// tensors from the handle m, as in `dry_run`. A strategy that is no `layout_map`, nor derived from one, has no rules.
/// Error: an output_rule that `place` never uses, with a sentence: from the compiler, or as ashlar::error at run time. A
/// rule that matches nothing of the model does not compile.
/// Example: static_assert(places_all<sharded>(grid{{2, 4}}, model, dry_step<sharded>));
template <class Strategy, class... Axes, class Model, class F>
constexpr bool places_all(mesh<Axes...> const& m, Model const&, F&& program) {
  if constexpr (requires { train_detail::require_all_placed(static_cast<Strategy*>(nullptr), 0); }) {
    if constexpr (train_detail::require_few_rules(static_cast<Strategy*>(nullptr))) {
      train_detail::check_rules<Model>(Strategy{});
      recorder<mesh<Axes...>, plan_detail::few_records> r;
      program(abstract_mesh<mesh<Axes...>>(m, &r));
      train_detail::require_all_placed(static_cast<Strategy*>(nullptr), r.placed);
    }
  }
  return true;
}

}  // namespace ashlar::training
