// SPDX-License-Identifier: BSL-1.0
// A training step of a network as a function.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/collectives.hpp"
#include "ashlar/train/losses.hpp"
#include "ashlar/train/optimizers/clip.hpp"
#include "ashlar/train/sequential.hpp"

namespace ashlar::training {

/// All that a step changes besides the parameters: the optimizer's state, and the variables of layers such as batch_norm.
template <class O, class V>
struct step_state {
  O optimizer;
  V variables;
  static constexpr auto names = ashlar::names("optimizer", "variables");
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class... N>
constexpr dimension dimension_of(name_list<N...>) {
  if constexpr (sizeof...(N) == 0)
    return none;
  else
    return axes(N::text...);
}
template <class Strategy>
inline constexpr dimension batch_dimension = dimension_of(typename Strategy::batch_axes{});

// The loss of a network, with its metric and its variables after the call.
template <class Strategy, bool Training, class Network, class Loss, class Metric>
struct loss_of_network {
  Network network;
  Loss loss;
  Metric metric;

  template <class P, class V, class X, class Y>
  constexpr auto operator()(P const& p, V const& variables, X const& x, Y const& labels, prng_key key,
                            call_site w) const {
    auto const after = network.template call<Strategy, Training>(p, variables, x, key, w);
    auto const count = [&] {
      if constexpr (std::is_same_v<Metric, absent_metric>)
        return std::tuple<>();
      else
        return std::tuple(metric(stop_gradient(after.outputs), labels));
    };
    return build<with_aux>(loss(after.outputs, labels), std::tuple(count(), after.variables));
  }
};

// The element type and the layout of labels of a loss, for outputs of a rank with the batch.
template <class Loss, class T, int Rank>
struct labels_of {
  using element = T;
  static constexpr int rank = Rank;
};
template <class Loss, class T, int Rank>
  requires requires { typename Loss::label_type; }
struct labels_of<Loss, T, Rank> {
  using element = typename Loss::label_type;
  static constexpr int rank = Rank - 1;
};

template <class T, class... Layer>
struct input_element {
  using type = T;
};
template <class T, class First, class... Layer>
  requires requires { typename First::input_type; }
struct input_element<T, First, Layer...> {
  using type = typename First::input_type;
};
template <class T, int Rank, class... Layer>
constexpr std::type_identity<typename input_element<T, Layer...>::type> input_of(
    network_of_layers<Rank, Layer...> const*);
template <class T, class Network>
using input_element_t = typename decltype(input_of<T>(static_cast<Network*>(nullptr)))::type;

// The extents of a batch: its size, then the Rank - 1 extents of an example.
template <int Rank>
constexpr shape of_batch(index_t n, shape const& example) {
  shape s = shape::of(n);
  for (int d = 0; d + 1 < Rank; ++d) s[s.rank++] = example[d];
  return s;
}

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A step of training: a function of parameters, state, batch and key, which `step` makes.
template <class Strategy, class Network, class Loss, class Optimizer, class Metric>
class network_step {
 public:
  constexpr network_step(Network n, Loss l, Optimizer o, Metric m, double clip_norm)
      : network_(n), loss_(l), optimizer_(o), metric_(m), clip_norm_(clip_norm) {}

  /// The first parameters, and the first state: a std::pair.
  /// Cost: no communication. Error: as init.
  /// Example: auto [p, state] = train_step.init(m, prng_key{1});
  template <class T = float, class Handle>
  constexpr auto init(Handle const& m, prng_key key, call_site w = call_site::current()) const {
    auto parameters = training::init<Strategy, T>(m, network_.weights(), key, w);
    auto variables = map_variables<T>(m, key, w);
    auto optimizer = [&] {
      if constexpr (train_detail::zero_stage<Strategy> == 1)
        return optimizer_.init(training::init<typename Strategy::moments, T>(m, network_.weights(), key, w));
      else
        return optimizer_.init(parameters);
    }();
    using State = step_state<decltype(optimizer), decltype(variables)>;
    return std::pair<decltype(parameters), State>(parameters, State{optimizer, variables});
  }

  /// Changes the parameters and the state by the gradients of a batch, which is std::tuple(inputs, labels), or tied
  /// references to both. `key` is for random numbers, as dropout draws.
  /// Returns the mean loss and the sum of the metric over the batch: build<with_aux>(loss, std::tuple(sum)), where the tuple is
  /// empty without a metric.
  /// Collective: every rank of the mesh. One all_reduce of loss, metric and gradients together, over the axes that split
  /// the batch. Layers, output_rules and clipping have their own.
  template <class P, class O, class V, class Batch>
  constexpr auto operator()(P& parameters, step_state<O, V>& state, Batch const& batch, prng_key key,
                            call_site w = call_site::current()) const {
    return update(parameters, state, gradients(parameters, state.variables, batch, key, w), w);
  }

  /// The first half of a step: value, aux and gradients of a batch, which are partial over the axes that split it.
  /// Gradients of several microbatches can be summed by `accumulate` before `update`.
  template <class P, class V, class Batch>
  constexpr auto gradients(P const& parameters, V const& variables, Batch const& batch, prng_key key,
                           call_site w = call_site::current()) const {
    using Whole = train_detail::loss_of_network<Strategy, true, Network, Loss, Metric>;
    auto const differentiated =
        value_and_grad<train_detail::batch_dimension<Strategy>>(Whole{network_, loss_, metric_});
    return differentiated(parameters, variables, std::get<0>(batch), std::get<1>(batch), key, w);
  }
  /// The second half: reduces the gradients, clips them, and updates parameters and state.
  template <class P, class O, class V, class G>
  constexpr auto update(P& parameters, step_state<O, V>& state, G const& of_batch,
                        call_site w = call_site::current()) const {
    auto const& [metric, variables] = of_batch.aux;
    auto [loss, sums, reduced] = all_reduce(bundle(of_batch.value, metric, in_shares(of_batch.gradients, w)), w);
    if (clip_norm_ > 0)
      change(parameters, state.optimizer, clip_by_global_norm(reduced, clip_norm_, 0, w).gradients, w);
    else
      change(parameters, state.optimizer, reduced, w);
    state.variables = variables;
    return build<with_aux>(loss, sums);
  }

 private:
  template <class T, class Handle>
  constexpr auto map_variables(Handle const& m, prng_key key, call_site const& w) const {
    auto const shapes = network_.variables();
    if constexpr (std::is_same_v<decltype(shapes), std::tuple<> const>)
      return std::tuple<>();
    else
      return training::init<layout_map<typename Strategy::batch_axes>, T>(m, shapes, key, w);
  }
  template <class G>
  constexpr auto in_shares(G const& gradients, call_site const& w) const {
    if constexpr (train_detail::zero_stage<Strategy> == 1) {
      using Moments = typename Strategy::moments;
      return train_detail::scattered<Moments, train_detail::root>(network_.weights(), gradients, w);
    } else {
      return gradients;
    }
  }
  // The update, in the layouts of the gradients.
  template <class P, class O, class G>
  constexpr void change(P& parameters, O& state, G const& gradients, call_site const& w) const {
    if constexpr (train_detail::zero_stage<Strategy> == 1) {
      auto const take_over = [&](auto& to, auto const& from) { to = redistribute<layout_t<decltype(to)>>(from, w); };
      auto const shares = map([](auto const& g) { return plan_detail::evaluated(g); }, gradients);
      auto own = shares;
      for_each_leaf(take_over, own, parameters);
      optimizer_.update(own, state, shares);
      for_each_leaf(take_over, parameters, own);
    } else {
      optimizer_.update(parameters, state, gradients);
    }
  }
  Network network_;
  Loss loss_;
  Optimizer optimizer_;
  Metric metric_;
  double clip_norm_;
};

/// The training step of a network by a strategy, as a function object of parameters, state, batch and key. A clip_norm
/// above 0 clips the gradients by clip_by_global_norm.
/// Collective: as network_step: one all_reduce over the axes that split the batch. Layers and output_rules have their own.
/// Example: auto const train_step = step<sharded>(network, cross_entropy, adam{});
///   auto [p, state] = train_step.init(m, prng_key{1});
///   auto const [loss, hits] = train_step(p, state, std::tie(x, labels), prng_key{2});
template <class Strategy, int Rank, class... Layer, class Loss, class Optimizer,
          class Metric = train_detail::absent_metric>
constexpr network_step<Strategy, network_of_layers<Rank, Layer...>, Loss, Optimizer, Metric> step(
    network_of_layers<Rank, Layer...> const& n, Loss loss, Optimizer optimizer, Metric metric = {},
    double clip_norm = 0) {
  return {n, loss, optimizer, metric, clip_norm};
}

}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class Strategy, class T, class Network, class Loss, class Optimizer, class Metric>
struct dry_training_step {
  Network network;
  Loss loss;
  Optimizer optimizer;
  Metric metric;
  index_t batch;
  double clip_norm;
  call_site site;

  template <class Handle>
  constexpr void operator()(Handle const& m) const {
    auto const one = step<Strategy>(network, loss, optimizer, metric, clip_norm);
    auto [p, state] = one.template init<T>(m, prng_key{1});
    constexpr int rank = Network::input_rank + 1;
    auto const x = filled<input_element_t<T, Network>, data_layout<Strategy, rank>>(
        m, of_batch<rank>(batch, network.inputs), input_element_t<T, Network>(0));
    using Outputs = decltype(network.template call<Strategy, false>(p, state.variables, x, prng_key{}).outputs);
    using Labels = labels_of<Loss, T, rank_v<Outputs>>;
    auto const y = filled<typename Labels::element, data_layout<Strategy, Labels::rank>>(
        m, of_batch<Labels::rank>(batch, network.outputs()), typename Labels::element(0));
    (void)one(p, state, std::tie(x, y), prng_key{2}, site);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// One training step as a program for a dry run, for a batch of n examples of element type T. Its collectives have
/// the line of this call.
/// Collective: no. Cost: no communication.
/// Example: static_assert(dry_run(grid{{2, 4}}, training_step<sharded>(network, cross_entropy, adam{}, 64)).count() == 2);
template <class Strategy, class T = float, int Rank, class... Layer, class Loss, class Optimizer,
          class Metric = train_detail::absent_metric>
constexpr train_detail::dry_training_step<Strategy, T, network_of_layers<Rank, Layer...>, Loss, Optimizer, Metric>
training_step(network_of_layers<Rank, Layer...> const& n, Loss loss, Optimizer optimizer, index_t batch,
              Metric metric = {}, double clip_norm = 0, call_site w = call_site::current()) {
  return {n, loss, optimizer, metric, batch, clip_norm, w};
}

}  // namespace ashlar::training
