// Training and evaluation over epochs of batches: fit and evaluate, and what may listen to them.
#pragma once
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

namespace ashlar {

/// A mean over examples, by its name: {"loss", 0.31}.
struct metric {
  std::string name;
  double mean;
};

/// What a step says of its batch: how many examples it had, those of a masked part not counted, and means over them.
/// Example: return batch_report{x.extent(0), {{"loss", item(loss)}, {"accuracy", item(hits) / n}}};
struct batch_report {
  index_t examples;
  std::vector<metric> metrics;
};

/// What an epoch, or an evaluation, came to: each metric's mean over all examples, and the time on the clock of this rank.
struct epoch_report {
  int epoch = 0;  // counts from 0
  index_t steps = 0, examples = 0;
  double seconds = 0;
  std::vector<metric> metrics;

  double ms_per_step() const { return steps == 0 ? 0 : 1000 * seconds / static_cast<double>(steps); }
  /// A metric's mean. Error: ashlar::error where none has the name.
  double operator[](std::string_view name) const {
    for (metric const& m : metrics)
      if (m.name == name) return m.mean;
    throw error("ashlar::epoch_report: no metric has the name " + std::string(name) + "; the step reports others");
  }
  /// "loss 0.9237  accuracy 0.1250".
  std::string text() const {
    std::string all;
    for (metric const& m : metrics) {
      char number[40];
      std::snprintf(number, sizeof number, " %.4f", m.mean);
      all += (all.empty() ? "" : "  ") + m.name + number;
    }
    return all;
  }
};

namespace train_detail {

template <class B>
concept batch_range = requires(B& b) {
  std::begin(b);
  std::end(b);
};

template <class C>
inline constexpr bool listens = requires(C& c, epoch_report const& e) { c.begin_epoch(e.epoch); } ||
                                requires(C& c, batch_report const& b, epoch_report const& e) { c.after_batch(b, e); } ||
                                requires(C& c, epoch_report const& e) { c.after_epoch(e); };
template <class C>
struct callback_listens_to_nothing {
  static constexpr bool value = !listens<C>;
};

template <class R>
struct step_returns_no_report {
  static constexpr bool value = !std::is_convertible_v<R, batch_report>;
};

template <class R>
struct callback_returns_no_bool {
  static constexpr bool value = !std::is_void_v<R> && !std::is_same_v<std::remove_cvref_t<R>, bool>;
};

// Whether training goes on: what f returns, where it returns something.
template <class F>
bool goes_on(F f) {
  using R = decltype(f());
  static_assert(!callback_returns_no_bool<R>::value,
                "ashlar::fit: a callback returns whether training goes on, as a bool, or nothing; end it with return true, or drop the return");
  if constexpr (std::is_void_v<R>)
    return f(), true;
  else if constexpr (!callback_returns_no_bool<R>::value)
    return f();
  else
    return true;
}
template <class C>
void tell_begin(C& c, int epoch) {
  static_assert(!callback_listens_to_nothing<C>::value,
                "ashlar::fit: a callback has begin_epoch(int), after_batch(batch_report, epoch_report) or after_epoch(epoch_report); wrap a function by after_batch(f) or after_epoch(f)");
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

// The means of an epoch that runs.
class epoch_means {
 public:
  explicit epoch_means(int epoch) { report_.epoch = epoch; }
  void add(batch_report const& b) {
    if (b.examples < 0) throw error("ashlar::fit: a step reports 0 examples or more, found " + std::to_string(b.examples));
    if (report_.steps == 0) {
      report_.metrics = b.metrics;
      means_.resize(b.metrics.size());
    }
    bool same = b.metrics.size() == means_.size();
    for (std::size_t i = 0; same && i < means_.size(); ++i) same = b.metrics[i].name == report_.metrics[i].name;
    if (!same) throw error("ashlar::fit: a step reports other metrics than the one before; report the same ones, in one order, of each batch");
    ++report_.steps;
    report_.examples += b.examples;
    for (std::size_t i = 0; i < means_.size(); ++i) {
      if (b.examples > 0) means_[i].add(b.metrics[i].mean, b.examples);
      report_.metrics[i].mean = means_[i].value();
    }
    report_.seconds = std::chrono::duration<double>(clock::now() - start_).count();
  }
  epoch_report const& report() const { return report_; }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
  epoch_report report_;
  std::vector<running_mean> means_;
};

// One pass over the batches; whether to go on behind it.
template <class Batches, class Step, class... Callbacks>
std::pair<epoch_report, bool> run_epoch(int epoch, Batches&& batches, Step& step, Callbacks&... callbacks) {
  (tell_begin(callbacks, epoch), ...);
  epoch_means means(epoch);
  bool on = true;
  for (auto&& batch : batches) {
    static_assert(!step_returns_no_report<decltype(step(batch))>::value,
                  "ashlar::fit: a step returns a batch_report, the batch's examples and its metrics; write return batch_report{n, {{\"loss\", item(loss)}}}");
    if constexpr (!step_returns_no_report<decltype(step(batch))>::value) {
      batch_report const b = step(batch);
      means.add(b);
      ((on = tell_batch(callbacks, b, means.report()) && on), ...);
    }
    if (!on) break;
  }
  if (means.report().steps == 0) throw error("ashlar::fit: an epoch has 1 batch or more, found none; is the data empty?");
  ((on = tell_end(callbacks, means.report()) && on), ...);
  return {means.report(), on};
}

}  // namespace train_detail

/// Trains for so many epochs: calls step(batch) on each batch of each. Batches are a range, the same in each epoch, or a
/// function of the epoch, from 0, that gives one; a range may make them on the way, as
/// std::views::iota(index_t(0), n) | std::views::transform([&](index_t) { return stream.next(); }) does.
/// What the step changes (parameters, moments) it holds itself; keys of random numbers follow best from the optimizer's count
/// of steps, which a checkpoint restores.
/// Post: of each epoch the mean of each metric over its examples, uneven batches weighed by theirs.
/// A callback has one of begin_epoch(int), after_batch(batch_report, epoch_report so far) and after_epoch(epoch_report), or
/// several; one that returns false ends the training there. They are copied, as functions are.
/// Collective: where step is. Pre: callbacks decide alike on all ranks, as they do from metrics that collectives have reduced.
/// Cost: beside the step's, some additions a batch.
/// Error: ashlar::error for fewer than 0 epochs, an epoch without batches, and steps that report other metrics than the first.
/// Example: auto const history = fit(3, data, [&](auto const& batch) { return train_step(state, batch); }, show_on(bar));
template <class Batches, class Step, class... Callbacks>
std::vector<epoch_report> fit(int epochs, Batches&& batches, Step step, Callbacks... callbacks) {
  if (epochs < 0) throw error("ashlar::fit: it takes 0 epochs or more, found " + std::to_string(epochs));
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

/// Calls step(batch) on each batch, once, and gives the means over all examples; callbacks as fit's.
/// Example: evaluate(test_data, [&](auto const& batch) { return test_step(state, batch); })["accuracy"]
template <class Batches, class Step, class... Callbacks>
  requires(train_detail::batch_range<std::remove_reference_t<Batches>> || std::is_invocable_v<Batches&, int>)
epoch_report evaluate(Batches&& batches, Step step, Callbacks... callbacks) {
  return fit(1, std::forward<Batches>(batches), step, callbacks...).front();
}

/// Callbacks from functions: of what a batch and the epoch so far came to, and of what an epoch came to.
template <class F>
auto after_batch(F f) {
  struct callback {
    F call;
    auto after_batch(batch_report const& b, epoch_report const& so_far) { return call(b, so_far); }
  };
  return callback{std::move(f)};
}
template <class F>
auto after_epoch(F f) {
  struct callback {
    F call;
    auto after_epoch(epoch_report const& r) { return call(r); }
  };
  return callback{std::move(f)};
}

/// A callback that shows epochs on a progress, of which it is a handle: metrics, then milliseconds a step.
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

}  // namespace ashlar
