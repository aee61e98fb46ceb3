// SPDX-License-Identifier: BSL-1.0
// The derivative of the sort of a sharded dimension: cotangents return by the route that the elements took.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/arrays/sort.hpp"

namespace ashlar::ops_detail {

template <int Dim, active_value X>
constexpr auto merge_parts(merged_along<Dim>, X const& x, call_site const& w) {
  auto const merged = merge_and_route<Dim, true>(x.value(), w);
  using Y = std::remove_cvref_t<decltype(merged.values)>;
  active<Y, X::replicated> result(x.recording_tape(), merged.values);
  result.recording_tape().push([result, x, route = merged.route, w] {
    if (!result.cotangent().is_set()) return;
    auto const& ct = plan_detail::materialize(result.cotangent().value());
    using Ct = std::remove_cvref_t<decltype(ct)>;
    x.cotangent().add(
        typename X::cotangent_type(backend_of<Ct>::template return_route<Dim>(route, ct, merging_step<Dim>(ct, w), w)));
  });
  return result;
}

}  // namespace ashlar::ops_detail
