// SPDX-License-Identifier: BSL-1.0
// Schedules of a network in stages: GPipe, one forward and one backward in each tick, and one stage after the other.
#pragma once
#include <algorithm>
#include <tuple>
#include <vector>

#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/accumulate.hpp"

namespace ashlar::training {

/// The parameters of a network in stages: those before the stages, those of all stages, whose first dimension is the
/// stage, and those after them.
template <class E, class S, class R>
struct pipelined {
  E embed;
  S stages;
  R readout;
  static constexpr auto names = ashlar::names("embed", "stages", "readout");
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class Network>
inline constexpr index_t network_stages = std::remove_cvref_t<Network>::stages;

// What lies in one stage, zeros elsewhere; or the reverse.
struct at_stage : user_operation<"sbi->sbi", "i", linearity::linear> {
  index_t stage;
  bool kept = true;
  constexpr at_stage(index_t s, bool k) : stage(s), kept(k) {}
  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    bool const keep = (at[0] == stage) == kept;
    for (index_t i = 0; i < x.extent(0); ++i) {
      y(i) = 0;
      if (keep) y(i) = x(i);
    }
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    return apply(*this, ct);
  }
};
constexpr auto only = [](index_t stage, auto const& x) { return apply(at_stage(stage, true), x); };
constexpr auto all_but = [](index_t stage, auto const& x) { return apply(at_stage(stage, false), x); };
constexpr auto put_into = [](index_t stage, auto const& ones, auto const& x) {
  return only(stage, einsum<"s,bi->sbi">(ones, x));
};
// The same value, evaluated: a type that loops can assign to.
constexpr auto evaluate_now = [](auto const& x) { return redistribute<layout_t<decltype(x)>>(x); };

constexpr auto leave_network = [](auto const& network, auto const& readout, auto const& y, index_t i) {
  auto const left = network.leave(readout, y, i);
  return build<with_aux>(evaluate_now(left.value), left.aux);
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The parameters of one stage, zeros in the place of the others.
/// Example: sum<0>(one_stage(2, p.stages)) is the kernel of stage 2, partial over "stage"
constexpr auto one_stage(index_t stage, auto const& parameters) { return train_detail::only(stage, parameters); }

/// Value, aux and gradients of the mean loss over n microbatches, on a mesh with the axes "data" and "stage".
/// All microbatches go forward, then all backward. The tape grows with n.
/// `network` has the constant `stages`, the tensor `ones` of layout<"stage">, and the functions enter(embed, i), the
/// activations (row, feature) of microbatch i; stage(parameters, h), with h of (stage, row, feature);
/// leave(readout, y, i), the share of microbatch i of the loss, and its aux; and embed_gradient(i, cotangent).
/// Shape: activations under way are of layout<"stage", "data", none>; of n microbatches each stage has one.
/// Collective: every rank. Cost: in each of n + stages - 1 ticks, forward and backward, one stage's rows from the neighbour.
/// Example: gpipe(p, network, 8), with p a pipelined<E, S, R> of parameters
/// Source: Huang et al., GPipe, 2019.
constexpr auto gpipe = [](auto const& p, auto const& network, index_t n) {
  using namespace train_detail;
  constexpr index_t stages = network_stages<decltype(network)>;
  return value_and_grad<axes("data", "stage")>([&](auto const& q) {
    auto const enter = [&](index_t i) { return put_into(0, network.ones, network.enter(q.embed, i)); };
    auto const leave = [&](index_t i, auto const& h) {
      return leave_network(network, q.readout, sum<0>(only(0, h)), i);
    };
    auto const tick = [&](auto const& h) { return roll<0>(network.stage(q.stages, h)); };
    auto h = tick(enter(0));
    auto const advance = [&](index_t t) { h = t < n ? tick(all_but(0, h) + enter(t)) : tick(all_but(0, h)); };
    for (index_t t = 1; t < stages; ++t) advance(t);
    auto result = leave(0, h);  // what has left the last stage has come around to the first
    for (index_t i = 1; i < n; ++i) {
      advance(i + stages - 1);
      auto const more = leave(i, h);
      result.value = evaluate_now(result.value + more.value);
      result.aux = evaluate_now(result.aux + more.aux);
    }
    return result;
  })(p);
};

/// The gradients of gpipe, with less memory. Each tick has one microbatch forward and one backward in each stage, so 2 stages - 1 activations
/// are kept, whatever n is.
/// Collective: as gpipe. Cost: as gpipe, one roll less.
/// Source: Narayanan et al., PipeDream, 2019 (1F1B), here in lockstep.
// In tick t stage s has microbatch t - s forward, and backward the one that it had 2 (stages - 1 - s) ticks ago.
constexpr auto one_forward_one_backward = [](auto const& p, auto const& network, index_t n) {
  using namespace train_detail;
  constexpr index_t stages = network_stages<decltype(network)>, last = stages - 1;
  auto const& ones = network.ones;
  auto const stage = [&](auto const& kernels, auto const& h) { return network.stage(kernels, h); };
  auto const enter = [&](index_t i) { return put_into(0, ones, network.enter(p.embed, i)); };
  auto const leave = [&](index_t i, auto const& h) {
    return value_and_grad<axes("data", "stage")>([&](auto const& q) {
      return leave_network(network, std::get<0>(q), std::get<1>(q), i);
    })(std::tuple(p.readout, sum<0>(only(0, h))));
  };
  std::vector kept{enter(0)};  // what the stages were given, in the last 2 stages - 1 ticks
  index_t oldest = 0;
  auto h = roll<0>(stage(p.stages, kept.back()));
  auto const forward = [&](index_t t) {
    if (t >= 2 * stages - 1) kept.erase(kept.begin()), ++oldest;
    kept.push_back(t < n ? evaluate_now(all_but(0, h) + enter(t)) : all_but(0, h));
    h = roll<0>(stage(p.stages, kept.back()));
  };
  auto const given = [&](index_t t) {  // to each stage, when it had what it has backward in tick t
    auto const at = [&](index_t s) { return t - 2 * (last - s) - oldest; };
    auto x = only(0, kept[static_cast<std::size_t>(std::max<index_t>(at(0), 0))]);
    for (index_t s = 1; s < stages; ++s)
      if (at(s) >= 0 && at(s) < static_cast<index_t>(kept.size()))
        x = evaluate_now(x + only(s, kept[static_cast<std::size_t>(at(s))]));
    return x;
  };
  auto const backward = [&](index_t t, auto const& cotangent) {
    return vjp<axes("data", "stage")>(stage)(cotangent, p.stages, given(t));
  };
  auto const of_embed = [&](index_t i, auto const& ct) { return network.embed_gradient(i, sum<0>(only(0, ct))); };

  for (index_t t = 1; t < stages; ++t) forward(t);
  auto first = leave(0, h);
  auto pulled = backward(last, put_into(last, ones, std::get<1>(first.gradients)));
  auto result = build<value_aux_and_gradients>(
      first.value, first.aux,
      build<pipelined>(of_embed(0, std::get<1>(pulled)), std::get<0>(pulled), std::get<0>(first.gradients)));
  auto add = [](auto& total, auto const& x) { total = evaluate_now(total + x); };
  for (index_t t = stages; t < n + 2 * last; ++t) {
    if (t < n + last) forward(t);
    auto from_next = all_but(last, roll<0>(std::get<1>(pulled), -1));
    if (t < n + last) {
      auto const left = leave(t - last, h);
      add(result.value, left.value);
      add(result.aux, left.aux);
      add(result.gradients.readout, std::get<0>(left.gradients));
      add(from_next, put_into(last, ones, std::get<1>(left.gradients)));
    }
    pulled = backward(t, from_next);
    add(result.gradients.stages, std::get<0>(pulled));
    if (t >= 2 * last) add(result.gradients.embed, of_embed(t - 2 * last, std::get<1>(pulled)));
  }
  return result;
};

/// The activations after all stages, one stage after the other on every rank of "stage". x are the activations before
/// the first one, and layer(parameters of one stage, h) is a stage.
/// Shape: x, h and the result (row, feature).
/// Collective: every rank. Cost: per stage an all-reduce of its parameters over "stage".
/// Example: through_stages(8, p.stages, x, [](auto const& k, auto const& h) { return einsum<"bi,io->bo">(h, k); })
template <class P, class X, class Layer>
constexpr auto through_stages(index_t stages, P const& parameters, X const& x, Layer const& layer) {
  auto h = train_detail::evaluate_now(x);
  for (index_t s = 0; s < stages; ++s)
    h = train_detail::evaluate_now(layer(all_reduce(sum<0>(one_stage(s, parameters))), h));
  return h;
}

/// The gradients of gpipe without a pipeline, to compare. `network` also has alone(parameters of one stage, h), with h of
/// (row, feature).
/// Collective: every rank. Cost: per microbatch the cost of through_stages, forward and backward.
constexpr auto unpipelined = [](auto const& p, auto const& network, index_t n) {
  constexpr index_t stages = train_detail::network_stages<decltype(network)>;
  auto const layer = [&](auto const& kernel, auto const& h) { return network.alone(kernel, h); };
  return accumulate(n, [&](index_t i) {
    return value_and_grad<"data">([&](auto const& q) {
      return network.leave(q.readout, through_stages(stages, q.stages, network.enter(q.embed, i), layer), i);
    })(p);
  });
};

}  // namespace ashlar::training
