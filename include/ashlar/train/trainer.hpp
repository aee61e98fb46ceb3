// SPDX-License-Identifier: BSL-1.0
// Trains and evaluates a network on a mesh.
#pragma once
#include "ashlar/data/batch_stream.hpp"
#include "ashlar/data/tensor_batches.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/accumulate.hpp"
#include "ashlar/train/mean_over.hpp"
#include "ashlar/train/optimizers/update.hpp"
#include "ashlar/train/run_conditions.hpp"
#include "ashlar/train/step.hpp"
#include "ashlar/train/training_run.hpp"

namespace ashlar::io {
template <class Conditions>
class run_checkpoints;  // of ashlar/checkpoint.hpp
}

namespace ashlar::training {

/// The mean loss over examples, and the mean of the metric, 0 without one.
struct scores {
  double loss = 0, metric = 0;
};

/// The scores of an epoch, which counts from 1, and of its validation.
struct epoch_scores {
  index_t epoch = 0;
  scores training{}, validation{};
};

/// Ends a training whose loss no longer falls. It is the loss on the validation data, or of training without such data.
struct early_stopping {
  index_t patience = 0;  ///< epochs without a smaller loss after which the training ends. 0: it goes on.
  double least = 0;      ///< the least decrease that counts.
};

/// The options of fit. Paths of files and folders are empty if nothing is to be written.
struct fit_options {
  int epochs = 1;
  index_t batch = 0;                                      ///< examples of a step. 0: as the data are batched.
  std::optional<datasets::dataset> validation{};          ///< evaluated after each epoch.
  std::string checkpoints{};                              ///< a folder. The run goes on from its newest checkpoint.
  double clip_norm = 0;                                   ///< the largest norm of all gradients. 0: any.
  early_stopping stop_early{};                            ///< the end has the best parameters then.
  index_t microbatches = 1;                               ///< parts of a batch whose gradients are summed.
  index_t steps = (std::numeric_limits<index_t>::max)();  ///< the run ends after this step, or with its last epoch.
  index_t every = (std::numeric_limits<index_t>::max)();  ///< steps between checkpoints within an epoch.
  index_t keep = 3;                                       ///< the number of newest checkpoints to keep.
  bool each_epoch = false;                                ///< the last checkpoint of each epoch stays.
  bool asynchronous = false;                              ///< a thread writes checkpoints.
  std::string losses{}, log{}, trace{};                   ///< files: a number_log, a csv_log, a comm::trace.
  run_conditions conditions{};                            ///< a run under other conditions does not resume.
  std::string example = "example";                        ///< the name of one, to show the pace.
  bool shown = true;                                      ///< rank 0 shows a bar per epoch, then a row of a table.
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

// The state of early stopping. A checkpoint stores it.
struct stopping {
  double best = std::numeric_limits<double>::infinity();
  index_t waited = 0;
  bool stopped = false;
  static constexpr auto names = ashlar::names("best", "waited", "stopped");

  // Returns true if the loss is the smallest so far.
  bool is_best(double loss, early_stopping const& o) {
    bool const better = loss < best - o.least;
    if (better) best = loss;
    waited = better ? 0 : waited + 1;
    stopped = waited >= o.patience;
    return better;
  }
};

template <class Conditions>
concept checkpoints_are_included = requires { sizeof(io::run_checkpoints<Conditions>); };
template <class Conditions>
auto checkpoints_of(communicator const& c, fit_options const& o, Conditions const& conditions) {
  if constexpr (checkpoints_are_included<Conditions>) {
    return io::run_checkpoints<Conditions>(c, o.checkpoints, conditions,
                                           {.every = o.every,
                                            .keep = o.keep,
                                            .asynchronous = o.asynchronous,
                                            .shown = o.shown,
                                            .each_epoch = o.each_epoch});
  } else {
    if (!o.checkpoints.empty())
      throw error(
          "ashlar::training::trainer: checkpoints are in HDF5 files; include ashlar/checkpoint.hpp and link ashlar::checkpoint");
    return no_checkpoints{};
  }
}

// A tensor of (rows, elements of an example) with the extents of an example.
template <int Rank, class X>
auto with_extents_of(shape const& example, X const& x, call_site const& w) {
  if constexpr (Rank == rank_v<X>) {
    (void)example, (void)w;
    return x;
  } else {
    index_t n[Rank - 1];
    for (int d = 0; d + 1 < Rank; ++d) n[d] = example[d];
    return plan_detail::evaluated(unflatten<1>(x, n, w));
  }
}

// Batches of a dataset as inputs and labels of a network. The fields have the elements of an example in one dimension.
template <class M, class X, class Y, int InputRank, int LabelRank>
class shaped_batches {
 public:
  shaped_batches(device_mesh<M> const& m, datasets::dataset const& d, shape const& inputs, shape const& labels,
                 call_site const& w)
      : stream_(m, {d, w}, X{}, Y{}), inputs_(inputs), labels_(labels) {}
  index_t count() const { return stream_.count(); }
  index_t examples() const { return stream_.examples(); }
  void seek(datasets::batch_position to, call_site w = call_site::current()) { stream_.seek(to, w); }
  auto next(call_site w = call_site::current()) {
    auto const batch = stream_.next(w);
    auto tensors = std::tuple(with_extents_of<InputRank>(inputs_, std::get<0>(batch.tensors), w),
                              with_extents_of<LabelRank>(labels_, std::get<1>(batch.tensors), w));
    return datasets::tensor_batch<decltype(tensors)>{tensors, batch.examples};
  }

 private:
  datasets::batch_stream<M, X, Y> stream_;
  shape inputs_, labels_;
};

template <class Metric>
constexpr char const* name_of_metric() {
  if constexpr (requires { Metric::name; })
    return Metric::name;
  else
    return "metric";
}

template <class R>
struct result_of_callback {
  static constexpr bool ok = std::is_void_v<R> || std::is_same_v<std::remove_cvref_t<R>, bool>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::trainer: the function of epoch_scores returns whether the training goes on, as a bool, or nothing; end it with return true, or drop the return");
  }
};
struct no_callback {
  constexpr void operator()(epoch_scores const&) const {}
};
// Calls f, and returns false if it ends the training.
template <class F>
bool goes_on_after(F& f, epoch_scores const& e) {
  using R = std::invoke_result_t<F&, epoch_scores const&>;
  if constexpr (std::is_same_v<std::remove_cvref_t<R>, bool>) {
    return f(e);
  } else {
    (void)meta_detail::hold<result_of_callback<R>>();
    f(e);
    return true;
  }
}

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A network with its parameters on a mesh, laid out by a strategy. `fit` trains it, `evaluate` measures it.
/// Step i draws with fold_in(fold_in(key, 2), i), and the parameters begin with fold_in(key, 0), on every mesh.
/// Data are a dataset of two arrays, inputs and labels, or batches of tensors on the mesh: an object with count(),
/// examples(), seek(batch_position) and next(), as tensor_batches.
/// Collective: every member but parameters() and ledger(), over all ranks of the mesh.
/// Error: as init. A batch that the network does not take does not compile, or throws ashlar::error on every rank.
/// Example: trainer t(data_parallel<"data">{}, m, network, cross_entropy, adam{}, accuracy);
///   t.fit(training, {.epochs = 2, .batch = 200, .validation = validation});
///   auto const s = t.evaluate(test);
template <class Strategy, class M, class Network, class Loss, class Optimizer,
          class Metric = train_detail::absent_metric, class T = float>
class trainer {
  using step_type = network_step<Strategy, Network, Loss, Optimizer, Metric>;
  using started =
      decltype(std::declval<step_type const&>().template init<T>(std::declval<device_mesh<M> const&>(), prng_key{}));

 public:
  trainer(Strategy, device_mesh<M> const& m, Network const& n, Loss loss, Optimizer optimizer, Metric metric = {},
          prng_key key = {1}, std::type_identity<T> = {})
      : trainer(m, step_type(n, loss, optimizer, metric, 0), n, loss, optimizer, metric, key) {}

  /// Trains for `epochs` epochs, and returns the scores of each. It shows a table of epochs, and the progress of each.
  /// With a folder for checkpoints it goes on from the newest one at the exact step, on any mesh and by any strategy.
  /// After an epoch it calls f(epoch_scores), which may return false to end the training.
  /// Collective: all ranks. Cost: per step as network_step.
  /// Error: as batch_stream, run_checkpoints, csv_log.
  /// Example: t.fit(training, {.epochs = 20, .validation = validation, .stop_early = {.patience = 3}});
  template <class Data, class F = train_detail::no_callback>
  std::vector<epoch_scores> fit(Data&& data, fit_options const& o = {}, F f = {}, call_site w = call_site::current()) {
    if (o.microbatches < 1)
      throw error("ashlar::training::trainer: a batch has 1 microbatch or more, found " +
                  std::to_string(o.microbatches));
    if constexpr (std::is_same_v<std::remove_cvref_t<Data>, datasets::dataset>) {
      index_t const batch = o.batch > 0 ? o.batch : data.how().size;
      if (batch % o.microbatches != 0)
        throw error("ashlar::training::trainer: the microbatches divide a batch, found " + std::to_string(batch) +
                    " examples and " + std::to_string(o.microbatches) + " microbatches");
      auto batches = batches_of(data, batch / o.microbatches, w);
      return run(batches, o, batch, f, w);
    } else {
      return run(data, o, o.batch, f, w);
    }
  }

  /// The scores on data, without dropout. `batch` examples at a time; 0: as the data are batched, or 1000.
  /// Cost: per batch the network forward, and one all_reduce of loss and metric.
  /// Example: double const share = t.evaluate(test).metric;
  template <class Data>
  scores evaluate(Data&& data, index_t batch = 0, call_site w = call_site::current()) {
    if constexpr (std::is_same_v<std::remove_cvref_t<Data>, datasets::dataset>) {
      index_t const own = data.how().size > 1 ? data.how().size : 1000;
      auto batches = batches_of(data, batch > 0 ? batch : own, w);
      return evaluate_on(batches, w);
    } else {
      return evaluate_on(data, w);
    }
  }

  /// The outputs of the network for inputs on the mesh, without dropout.
  /// Example: auto z = t.predict(x);
  template <tensor X>
  auto predict(X const& x, call_site w = call_site::current()) const {
    return network_.template call<Strategy, false>(parameters_, state_.variables, x, prng_key{0}, w).outputs;
  }

  /// The parameters, a tree with the names of the layers: parameters()["d1"_n].kernel.
  auto const& parameters() const { return parameters_; }
  auto& parameters() { return parameters_; }
  /// The optimizer's state, and the variables of layers.
  auto const& state() const { return state_; }

  /// The collectives of one training step on a mesh of these sizes, for a batch of n examples.
  /// Collective: no. Example: std::cout << t.ledger({{2, 4}}, 64);
  auto ledger(M const& sizes, index_t batch, double clip_norm = 0, call_site w = call_site::current()) const {
    return dry_run(sizes, training_step<Strategy, T>(network_, loss_, optimizer_, batch, metric_, clip_norm, w));
  }

 private:
  static constexpr bool counts = !std::is_same_v<Metric, train_detail::absent_metric>;
  static constexpr int input_rank = Network::input_rank + 1;
  using input_type = train_detail::input_element_t<T, Network>;
  using outputs_type =
      decltype(std::declval<Network const&>()
                   .template call<Strategy, false>(
                       std::declval<typename started::first_type const&>(),
                       std::declval<typename started::second_type const&>().variables,
                       std::declval<sharded_tensor<input_type, data_layout<Strategy, input_rank>, M> const&>(),
                       prng_key{})
                   .outputs);
  using labels = train_detail::labels_of<Loss, T, rank_v<outputs_type>>;

  trainer(device_mesh<M> const& m, step_type const& first, Network const& n, Loss loss, Optimizer optimizer,
          Metric metric, prng_key key)
      : trainer(m, first.template init<T>(m, fold_in(key, 0)), n, loss, optimizer, metric, key) {}
  trainer(device_mesh<M> const& m, started s, Network const& n, Loss loss, Optimizer optimizer, Metric metric,
          prng_key key)
      : mesh_(m),
        network_(n),
        loss_(loss),
        optimizer_(optimizer),
        metric_(metric),
        key_(key),
        parameters_(std::move(s.first)),
        state_(std::move(s.second)) {}

  auto batches_of(datasets::dataset const& d, index_t batch, call_site const& w) const {
    using datasets::batch_field;
    constexpr int flat = labels::rank > 1 ? 2 : 1;
    return train_detail::shaped_batches<M, batch_field<input_type, data_layout<Strategy, 2>>,
                                        batch_field<typename labels::element, data_layout<Strategy, flat>>, input_rank,
                                        labels::rank>(mesh_, d.batch(batch), network_.inputs, network_.outputs(), w);
  }

  template <class Batches>
  scores evaluate_on(Batches& batches, call_site const& w) const {
    train_detail::loss_of_network<Strategy, false, Network, Loss, Metric> const f{network_, loss_, metric_};
    batches.seek({0, 0});
    auto const means = mean_over(batches, [&](auto const& batch) {
      auto const [value, aux] =
          f(parameters_, state_.variables, std::get<0>(batch.tensors), std::get<1>(batch.tensors), prng_key{0}, w);
      auto const [l, sums] = all_reduce(bundle(value, std::get<0>(aux)), w);
      return std::vector{static_cast<double>(item(l)) * static_cast<double>(batch.examples), sum_of(sums)};
    });
    return {means[0], means[1]};
  }
  template <class Sums>
  static double sum_of(Sums const& s) {
    if constexpr (counts)
      return static_cast<double>(item(std::get<0>(s)));
    else
      return 0;
  }

  template <class Batches, class F>
  std::vector<epoch_scores> run(Batches& batches, fit_options const& o, index_t batch, F& f, call_site const& w) {
    communicator const& ranks = mesh_.communicator();
    step_type const one(network_, loss_, optimizer_, metric_, o.clip_norm);
    bool const watched = o.stop_early.patience > 0;
    // The best parameters and variables, as tensors without elements if nothing watches.
    auto best = std::tuple(watched ? parameters_ : train_detail::zeros_if(false, parameters_),
                           watched ? state_.variables : train_detail::zeros_if(false, state_.variables));
    train_detail::stopping stop;

    auto saved = train_detail::checkpoints_of(ranks, o, conditions_of(batches, o, batch));
    auto extras = std::tie(state_.variables, best, stop);
    auto const at = saved.resume(parameters_, state_.optimizer, extras);
    index_t const in_epoch = (batches.count() + o.microbatches - 1) / o.microbatches;
    batches.seek({at.epoch, at.batch * o.microbatches});
    training_run shown(ranks, shown_options(o), at, examples_shown(batches, o, batch));

    std::vector<epoch_scores> history;
    bool on = true;
    while (on && !stop.stopped && shown.goes_on()) {
      auto const before = shown.at();
      prng_key const key = fold_in(fold_in(key_, 2), static_cast<std::uint64_t>(before.step));
      step_result const result = next_step(one, batches, o.microbatches, before.batch, key, w);
      scores validation;
      shown.after_step(result, in_epoch, [&] { return evaluated(o, validation, w); });
      if (shown.at().batch == 0) {
        auto const& sums = shown.at().sums;
        history.push_back({shown.at().epoch, {sums.loss(), sums.metric()}, validation});
        if (watched && stop.is_best(o.validation ? validation.loss : sums.loss(), o.stop_early))
          best = std::tuple(parameters_, state_.variables);
        on = train_detail::goes_on_after(f, history.back());
      }
      saved.after_step(shown.at(), parameters_, state_.optimizer, extras);
    }
    saved.after_last_step(shown.at(), parameters_, state_.optimizer, extras);
    saved.finish();
    shown.finish();
    if (watched && stop.best < std::numeric_limits<double>::infinity()) std::tie(parameters_, state_.variables) = best;
    return history;
  }

  // One step on the next batch, or on the next microbatches.
  template <class Batches>
  step_result next_step(step_type const& one, Batches& batches, index_t parts, index_t step_of_epoch, prng_key key,
                        call_site const& w) {
    if (parts == 1) {
      auto const batch = batches.next(w);
      auto const [loss, sums] = one(parameters_, state_, batch.tensors, key, w);
      return {static_cast<double>(item(loss)), sum_of(sums), batch.examples};
    }
    std::vector<std::remove_cvref_t<decltype(batches.next(w))>> all;
    index_t examples = 0;
    for (index_t i = step_of_epoch * parts; i < batches.count() && std::ssize(all) < parts; ++i) {
      all.push_back(batches.next(w));
      examples += all.back().examples;
    }
    auto variables = state_.variables;
    auto const total = accumulate(std::ssize(all), [&](index_t i) {
      auto const& part = all[static_cast<std::size_t>(i)];
      T const share = static_cast<T>(static_cast<double>(part.examples) / static_cast<double>(examples));
      auto const g =
          one.gradients(parameters_, variables, part.tensors, fold_in(key, static_cast<std::uint64_t>(i)), w);
      variables = std::get<1>(g.aux);
      auto const scaled = [&](auto const& x) { return x * static_cast<element_t<decltype(x)>>(share); };
      return std::tuple(scaled(g.value), std::get<0>(g.aux), map(scaled, g.gradients));
    });
    auto const& [value, metric, gradients] = total;
    auto const [loss, sums] = one.update(
        parameters_, state_, build<value_aux_and_gradients>(value, std::tuple(metric, variables), gradients), w);
    return {static_cast<double>(item(loss)), sum_of(sums), examples};
  }

  std::vector<double> evaluated(fit_options const& o, scores& validation, call_site const& w) {
    if (!o.validation) return {};
    validation = evaluate(*o.validation, o.batch, w);
    std::vector<double> numbers{validation.loss};
    if (counts) numbers.push_back(validation.metric);
    return numbers;
  }

  template <class Batches>
  run_conditions conditions_of(Batches const& batches, fit_options const& o, index_t batch) const {
    run_conditions c = o.conditions;
    if (c.batch == 0) c.batch = batch;
    if (c.examples == 0) c.examples = batches.examples();
    if (c.seed.value == 0) c.seed = key_;
    if (c.microbatches == 0 && o.microbatches > 1) c.microbatches = o.microbatches;
    return c;
  }
  run_options shown_options(fit_options const& o) const {
    run_options r{.epochs = o.epochs, .steps = o.steps, .losses = o.losses, .log = o.log, .trace = o.trace};
    r.columns = {"loss"};
    if (counts) r.columns.emplace_back(train_detail::name_of_metric<Metric>());
    if (o.validation) {
      r.evaluated = static_cast<index_t>(r.columns.size());
      for (index_t i = 0; i < r.evaluated; ++i) r.columns.push_back("val_" + r.columns[static_cast<std::size_t>(i)]);
    }
    r.example = o.example, r.shown = o.shown;
    return r;
  }
  template <class Batches>
  static index_t examples_shown(Batches const& batches, fit_options const& o, index_t batch) {
    index_t const all = batches.examples();
    return batch < 1 || o.steps > all / batch ? all : o.steps * batch;
  }

  device_mesh<M> mesh_;
  Network network_;
  Loss loss_;
  Optimizer optimizer_;
  Metric metric_;
  prng_key key_;
  typename started::first_type parameters_;
  typename started::second_type state_;
};

}  // namespace ashlar::training
