// SPDX-License-Identifier: BSL-1.0
// Losses and metrics as function objects, for networks.
#pragma once
#include "ashlar/ops/nn/metrics.hpp"

namespace ashlar::train_detail {

struct cross_entropy_loss {
  using label_type = std::int32_t;  // one for each row of the logits
  template <tensor Z, class... Y>
  constexpr auto operator()(Z const& logits, Y const&... labels_and_weights) const {
    return nn::softmax_cross_entropy(logits, labels_and_weights...);
  }
};
struct squared_error_loss {
  template <tensor Z, tensor Y>
  constexpr auto operator()(Z const& outputs, Y const& labels) const {
    return nn::mean_squared_error(outputs, labels);
  }
};
struct accuracy_metric {
  static constexpr char const* name = "accuracy";
  template <tensor Z, tensor Y>
  constexpr auto operator()(Z const& logits, Y const& labels) const {
    return nn::accuracy_count(logits, labels);
  }
};
struct absent_metric {};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// nn::softmax_cross_entropy of logits and the class of each example.
/// A loss is a function object of outputs and labels whose result is a mean over the batch. Labels are like the outputs,
/// or, if the loss has a type `label_type`, one number of this type for each row of the outputs.
/// Example: step<S>(network, cross_entropy, adam{})
inline constexpr train_detail::cross_entropy_loss cross_entropy{};
/// nn::mean_squared_error of outputs and labels.
/// Example: step<S>(network, squared_error, rmsprop{})
inline constexpr train_detail::squared_error_loss squared_error{};

/// nn::accuracy_count as a metric: a function object of outputs and labels whose result is a sum over the batch. It has
/// a `name`, else columns of tables are named "metric".
/// Example: step<S>(network, cross_entropy, adam{}, accuracy)
inline constexpr train_detail::accuracy_metric accuracy{};
/// No metric. Example: trainer t(S{}, m, network, squared_error, rmsprop{}, no_metric, prng_key{7});
inline constexpr train_detail::absent_metric no_metric{};

}  // namespace ashlar::training
