// SPDX-License-Identifier: BSL-1.0
// Fully sharded data parallelism: which of the parameters, gradients and moments are in shares.
#pragma once
#include "ashlar/train/strategies/strategy.hpp"

namespace ashlar::training {

/// The strategy of a stage of ZeRO, from a strategy without shares and one with them. In shares are: nothing (0); the
/// optimizer's moments (1); parameters and gradients too, which a step gathers once (2), or once forward and once
/// backward (3). A step's gradients are scattered to the layouts of the moments. At stage 1 each rank updates its share of each
/// parameter, and the shares are gathered.
/// Pre: both strategies have the same batch axes and output_rules.
/// Example: trainer t(zero<1, data_parallel<"data">, shares>{}, m, network, cross_entropy, adam{});
/// Source: Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, 2020.
template <int Stage, class Whole, class Shares>
struct zero : std::conditional_t<(Stage >= 2), Shares, Whole> {
  static_assert(Stage >= 0 && Stage <= 3,
                "ashlar::training::zero: its stages are 0 to 3; write zero<1, Whole, Shares>");
  static constexpr int stage = Stage;
  using moments = std::conditional_t<(Stage >= 1), Shares, Whole>;
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class Strategy>
inline constexpr int zero_stage = 0;
template <class Strategy>
  requires requires { typename Strategy::moments; }
inline constexpr int zero_stage<Strategy> = Strategy::stage;

// The layout Share for a gradient G, which stays partial over the axes that do not share it out.
template <class Share, class G>
struct layout_of_shares {
  using c = mesh_context<mesh_t<G>, layout_t<G>, Share>;
  static constexpr layout_value value = [] {
    layout_value v = layout_detail::value_v<c, Share>;
    layout_value const g = layout_detail::value_v<c, layout_t<G>>;
    for (int l = 0; l < g.levels; ++l) v.add_partial(g.reductions[l].op, g.reductions[l].axes & ~v.sharding());
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

// Gradients in the layouts that Moments gives them: scattered over the axes that share them out, and else as they are.
template <class Moments, class Path, class Model, class G>
constexpr auto scattered(Model const& model, G const& g, call_site const& w) {
  if constexpr (!tree<Model>) {
    using To = typename layout_of_shares<typename chosen_layout<Moments, Path, Model>::type, G>::type;
    return relayout(ops_detail::destination<To, 0u>{}, g, w);
  } else if constexpr (equal_layers_of<Model> != 1) {
    auto const here = meta_detail::count_equal_layers(g);
    return equal_layers<equal_layers_of<Model>>(scattered<Moments, member_path<Path, Model, 0>>(model.each, g.each, w));
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return typename members_of<G>::template rebind<decltype(scattered<Moments, member_path<Path, Model, I>>(
          member<I>(model), member<I>(g), w))...>{
          scattered<Moments, member_path<Path, Model, I>>(member<I>(model), member<I>(g), w)...};
    }(std::make_index_sequence<members_of<Model>::count>{});
  }
}

}  // namespace ashlar::train_detail
