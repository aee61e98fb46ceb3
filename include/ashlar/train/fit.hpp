// SPDX-License-Identifier: BSL-1.0
// Training and evaluation over epochs of batches: fit, evaluate, and their callbacks.
#pragma once
#include "ashlar/meta/check.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/train/metrics.hpp"
#include "ashlar/train/progress.hpp"
#include <chrono>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::training {

/// A mean over examples, by its name: {"loss", 0.31}.
struct metric {
  std::string name;
  double mean;
};

/// A step's report on its batch: the number of examples, without masked ones, and means over them.
/// Example: return batch_report{x.extent(0), {{"loss", item(loss)}, {"accuracy", item(hits) / n}}};
struct batch_report {
  index_t examples;
  std::vector<metric> metrics;
};

/// The report on an epoch or an evaluation: each metric's mean over all examples, and the time on this rank's clock.
struct epoch_report {
  int epoch = 0;  // counts from 0
  index_t steps = 0, examples = 0;
  double seconds = 0;
  std::vector<metric> metrics;

  double ms_per_step() const { return steps == 0 ? 0 : 1000 * seconds / static_cast<double>(steps); }
  /// A metric's mean. Error: ashlar::error if no metric has the name.
  double operator[](std::string_view name) const;
  /// All metrics in one line: "loss 0.9237  accuracy 0.1250".
  std::string text() const;
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class B>
concept batch_range = requires(B& b) {
  std::begin(b);
  std::end(b);
};

template <class C>
inline constexpr bool listens = requires(C& c, epoch_report const& e) { c.begin_epoch(e.epoch); } ||
                                requires(C& c, batch_report const& b, epoch_report const& e) { c.after_batch(b, e); } ||
                                requires(C& c, epoch_report const& e) { c.after_epoch(e); };

template <class R>
struct result_of_step {
  static constexpr bool ok = std::is_convertible_v<R, batch_report>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::fit: a step returns a batch_report, the batch's examples and its metrics; write return batch_report{n, {{\"loss\", item(loss)}}}");
  }
};
template <class R>
struct result_of_callback {
  static constexpr bool ok = std::is_same_v<std::remove_cvref_t<R>, bool>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::fit: a callback returns whether training goes on, as a bool, or nothing; end it with return true, or drop the return");
  }
};

// Calls f and returns its result: false ends the training. Returns true if f returns nothing.
template <class F>
bool goes_on(F f) {
  using R = decltype(f());
  if constexpr (std::is_void_v<R>)
    return f(), true;
  else if constexpr (meta_detail::hold<result_of_callback<R>>())
    return f();
  else
    return true;
}
template <class C>
void tell_begin(C& c, int epoch) {
  static_assert(
      listens<C>,
      "ashlar::training::fit: a callback has begin_epoch(int), after_batch(batch_report, epoch_report) or after_epoch(epoch_report); wrap a function by after_batch(f) or after_epoch(f)");
  if constexpr (requires { c.begin_epoch(epoch); }) c.begin_epoch(epoch);
}
template <class C>
bool tell_batch(C& c, batch_report const& b, epoch_report const& so_far) {
  if constexpr (requires { c.after_batch(b, so_far); }) return goes_on([&] { return c.after_batch(b, so_far); });
  return true;
}
template <class C>
bool tell_end(C& c, epoch_report const& r) {
  if constexpr (requires { c.after_epoch(r); }) return goes_on([&] { return c.after_epoch(r); });
  return true;
}

// The means of an epoch so far.
class epoch_means {
 public:
  explicit epoch_means(int epoch) { report_.epoch = epoch; }
  void add(batch_report const& b);
  epoch_report const& report() const { return report_; }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
  epoch_report report_;
  std::vector<running_mean> means_;
};

// Runs one pass over the batches. The second result is false if a callback ends the training.
template <class Batches, class Step, class... Callbacks>
std::pair<epoch_report, bool> run_epoch(int epoch, Batches&& batches, Step& step, Callbacks&... callbacks) {
  (tell_begin(callbacks, epoch), ...);
  epoch_means means(epoch);
  bool on = true;
  for (auto&& batch : batches) {
    if constexpr (meta_detail::hold<result_of_step<decltype(step(batch))>>()) {
      batch_report const b = step(batch);
      means.add(b);
      ((on = tell_batch(callbacks, b, means.report()) && on), ...);
    }
    if (!on) break;
  }
  if (means.report().steps == 0)
    throw error("ashlar::training::fit: an epoch has 1 batch or more, found none; is the data empty?");
  ((on = tell_end(callbacks, means.report()) && on), ...);
  return {means.report(), on};
}

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Trains for `epochs` epochs: calls step(batch) on each batch of each epoch. `batches` is a range, the same in each
/// epoch, or a function of the epoch (from 0) that returns one. A range may make its batches on the way, as
/// std::views::iota(index_t(0), n) | std::views::transform([&](index_t) { return stream.next(); }) does.
/// The step holds the data that it changes, such as parameters and moments. Derive keys of random numbers from the
/// optimizer's count of steps, which a checkpoint restores.
/// A callback has begin_epoch(int), after_batch(batch_report, epoch_report so far) or after_epoch(epoch_report), or
/// several of them. If one returns false, the training ends there. Callbacks are copied, as functions are.
/// Pre: callbacks return the same on all ranks. They do if they decide by metrics that collectives have reduced.
/// Post: returns one report per epoch. Each metric is a mean over the epoch's examples, so a batch counts by its
/// examples.
/// Collective: if step is.
/// Cost: besides the step's, some additions per batch.
/// Error: ashlar::error for fewer than 0 epochs, an epoch without batches, and steps that report other metrics than the
/// first.
/// Example: auto const history = fit(3, data, [&](auto const& batch) { return train_step(state, batch); }, show_on(bar));
template <class Batches, class Step, class... Callbacks>
std::vector<epoch_report> fit(int epochs, Batches&& batches, Step step, Callbacks... callbacks) {
  if (epochs < 0) throw error("ashlar::training::fit: it takes 0 epochs or more, found " + std::to_string(epochs));
  std::vector<epoch_report> history;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    auto const [report, on] = [&] {
      if constexpr (train_detail::batch_range<std::remove_reference_t<Batches>>)
        return train_detail::run_epoch(epoch, batches, step, callbacks...);
      else
        return train_detail::run_epoch(epoch, batches(epoch), step, callbacks...);
    }();
    history.push_back(report);
    if (!on) break;
  }
  return history;
}

/// Calls step(batch) once on each batch and returns the means over all examples. Callbacks are as in fit.
/// Example: evaluate(test_data, [&](auto const& batch) { return test_step(state, batch); })["accuracy"]
template <class Batches, class Step, class... Callbacks>
  requires(train_detail::batch_range<std::remove_reference_t<Batches>> || std::is_invocable_v<Batches&, int>)
epoch_report evaluate(Batches&& batches, Step step, Callbacks... callbacks) {
  return fit(1, std::forward<Batches>(batches), step, callbacks...).front();
}

/// Make callbacks from functions: f(batch_report, epoch_report so far) after each batch, f(epoch_report) after each
/// epoch.
/// Example: fit(3, data, step, after_batch([](batch_report const&, epoch_report const& so_far) { std::cout << so_far.text() << "\n"; }));
template <class F>
auto after_batch(F f) {
  struct callback {
    F call;
    auto after_batch(batch_report const& b, epoch_report const& so_far) { return call(b, so_far); }
  };
  return callback{std::move(f)};
}
/// The same after each epoch.
/// Example: fit(3, data, step, after_epoch([](epoch_report const& r) { return r["accuracy"] < 0.99; }));
template <class F>
auto after_epoch(F f) {
  struct callback {
    F call;
    auto after_epoch(epoch_report const& r) { return call(r); }
  };
  return callback{std::move(f)};
}

/// A callback that shows each epoch on `bar`: metrics, then milliseconds per step. It refers to `bar`, which must
/// outlive it.
/// Example: progress bar(stdout, rank == 0, 3, 128); fit(3, data, step, show_on(bar));
inline auto show_on(progress& bar) {
  struct callback {
    progress* bar;
    void begin_epoch(int) const { bar->start_epoch(); }
    void after_batch(batch_report const&, epoch_report const& r) const {
      bar->show(r.examples, [&] {
        char time[40];
        std::snprintf(time, sizeof time, "  %.3g ms/step", r.ms_per_step());
        return r.text() + time;
      });
    }
  };
  return callback{&bar};
}

}  // namespace ashlar::training

#if ASHLAR_IMPL
#include "ashlar/train/impl/fit.ipp"
#endif
