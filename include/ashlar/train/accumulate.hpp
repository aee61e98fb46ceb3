// SPDX-License-Identifier: BSL-1.0
// Gradients of several microbatches, summed before they are reduced.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"

namespace ashlar::training {

/// The sum of the trees f(0), f(1), ..., f(n - 1), leaf by leaf, such as the values and gradients of microbatches.
/// Partial sums stay partial: one later collective reduces all n microbatches together.
/// Pre: n >= 1. f scales a mean over a microbatch by its share of the batch.
/// Collective: if f is.
/// Cost: no communication besides f's; one kernel per leaf and microbatch.
/// Error: n < 1 throws ashlar::error.
/// Example: auto [value, hits, grads] = accumulate(4, [&](index_t i) { return value_and_grad<"data">(loss)(p, x[i]); });
///   auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));
template <class F>
constexpr auto accumulate(ops_detail::index_argument n, F&& f) {
  if (n < 1) meta_detail::fail("ashlar::training::accumulate: it takes 1 microbatch or more");
  auto total = map([](auto const& x) { return plan_detail::evaluated(x); }, f(index_t(0)));
  for (index_t i = 1; i < n; ++i) {
    auto const next = f(i);
    for_each_leaf(
        [](auto& sum, auto const& x) {
          auto const more = sum + x;  // not in place: two gradients may share one tensor
          sum = std::remove_cvref_t<decltype(sum)>(plan_detail::materialize(more));
        },
        total, next);
  }
  return total;
}

}  // namespace ashlar::training
