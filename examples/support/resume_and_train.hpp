// SPDX-License-Identifier: BSL-1.0
// A training run from its newest checkpoint to its end, over batches in an order or from a stream.
#pragma once
#include "ashlar/data/batch_stream.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/train/training_run.hpp"

namespace ashlar {

/// Resumes a run from the newest checkpoint of `saved` and takes its remaining steps, as training_run::go_on.
/// order(epoch) has the batches, and step(batches, at) is a step. evaluate() gives the numbers of the other columns.
/// `examples` is their number per epoch.
/// Post: returns the position from which the run has resumed. The peak of memory_in_use() counts from the first step.
/// Collective: all ranks of c. Error: as saved.resume and training_run.
/// Example: resume_and_train(m.communicator(), {.epochs = 5}, saved, order, 60000, step, nothing_else, p, state);
template <class Saved, class Order, class Step, class Evaluate, class... X>
data_position resume_and_train(comm_detail::at_call<communicator> const& c, run_options const& o, Saved&& saved,
                               Order&& order, index_t examples, Step step, Evaluate evaluate, X&... trees) {
  data_position const begin = [&] {
    comm_detail::calls_as const here(c.value, "resume_and_train", c.site);
    return saved.resume(trees...);
  }();
  training_run run(c.value, o, begin, examples);
  reset_peak_memory();
  run.go_on(saved, std::forward<Order>(order), step, evaluate, trees...);
  return begin;
}

/// The same with the batches of a stream, which continues at the position of the run: step(batch, at) is a step.
/// Example: auto const take = [&](auto const& batch, data_position const&) {
///     auto const& [x, labels] = batch.tensors;
///     return step_result{item(step(p, state, x, labels)), 0, batch.examples};
///   };
///   resume_and_train(m.communicator(), o, saved, batches, batches.examples(), take, nothing_else, p, state);
template <class Saved, class M, class... F, class Step, class Evaluate, class... X>
data_position resume_and_train(comm_detail::at_call<communicator> const& c, run_options const& o, Saved&& saved,
                               batch_stream<M, F...>& batches, index_t examples, Step step, Evaluate evaluate,
                               X&... trees) {
  auto const order = [&](index_t) -> auto& { return batches; };
  auto const take = [&](auto&, data_position const& at) {
    batches.seek({at.epoch, at.batch});  // does nothing after the first step
    return step(batches.next(), at);
  };
  return resume_and_train(c, o, std::forward<Saved>(saved), order, examples, take, evaluate, trees...);
}

}  // namespace ashlar
