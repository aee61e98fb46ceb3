// SPDX-License-Identifier: BSL-1.0
// Rates that change from step to step.
#pragma once
#include "ashlar/plan/tensor.hpp"
#include "ashlar/train/numbers.hpp"
#include <concepts>

namespace ashlar::training {

/// The rate of each step of an optimizer: a constant, a rule by which it falls or rises, or a function of the user.
/// Optimizers accept a schedule for every rate; steps count from 0. It holds no state: a run resumed from a checkpoint
/// continues with the rate of its step.
/// Example: adam{.rate = warm_up(100, cosine_decay(1e-3, 10000))}, sgd{.rate = [](long step) { return 0.1 / (1.0 + step); }}
class schedule {
 public:
  constexpr schedule(double rate) : rate_(rate) {}
  template <class F>
    requires(!std::convertible_to<F, double> && std::invocable<F const&, long>)
  constexpr schedule(F const& rate_of_step) {
    constexpr bool has_no_state = std::convertible_to<F, double (*)(long)>;
    static_assert(
        has_no_state,
        "ashlar::training::schedule: a function of the step captures nothing, so that a schedule holds no state; write adam{.rate = rate}, cosine_decay(rate, steps), or what is captured as a constexpr variable");
    if constexpr (has_no_state) own_ = rate_of_step;
  }

  constexpr double operator()(long step) const {
    if (step < rise_) return (*this)(rise_) * static_cast<double>(step + 1) / static_cast<double>(rise_);
    step -= rise_;
    if (own_) return own_(step);
    if (fall_ == 0) return rate_;
    double const t = static_cast<double>(step < fall_ ? step : fall_) / static_cast<double>(fall_);
    return rate_ * (last_ + (1 - last_) * 0.5 * (1 + train_detail::cosine_of_pi(t)));
  }

  friend constexpr schedule cosine_decay(double rate, long steps, double last);
  friend constexpr schedule warm_up(long steps, schedule then);

 private:
  double rate_ = 0, last_ = 0;
  long fall_ = 0, rise_ = 0;
  double (*own_)(long) = nullptr;
};

/// Half a cosine from `rate` at step 0 to rate * last at step `steps`; constant from then on.
/// Pre: steps >= 1. Error: fewer throw ashlar::error.
/// Example: adam{.rate = cosine_decay(1e-3, 1000)}
/// Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts, ICLR 2017.
constexpr schedule cosine_decay(double rate, long steps, double last = 0) {
  if (steps < 1)
    meta_detail::fail("ashlar::training::cosine_decay: it takes 1 step or more; a constant rate is a number");
  schedule s(rate);
  s.fall_ = steps;
  s.last_ = last;
  return s;
}

/// A linear rise over `steps` steps to the first rate of `then`, which the last of them has. After them comes `then`,
/// whose steps count from there.
/// Pre: steps >= 0, and `then` does not warm up itself. Error: ashlar::error otherwise.
/// Example: warm_up(100, cosine_decay(1e-3, 900))
constexpr schedule warm_up(long steps, schedule then) {
  if (steps < 0 || then.rise_)
    meta_detail::fail(
        "ashlar::training::warm_up: it takes 0 steps or more, before a schedule that does not warm up itself");
  then.rise_ = steps;
  return then;
}

}  // namespace ashlar::training
