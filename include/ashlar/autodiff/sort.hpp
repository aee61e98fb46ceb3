// SPDX-License-Identifier: BSL-1.0
// The derivative of the sort of a sharded dimension: cotangents return by the route that the elements took.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/arrays/sort.hpp"

namespace ashlar::ops_detail {

template <int Dim, active_value X>
constexpr auto merge_parts(merged_along<Dim>, X const& x, call_site const& w) {
  auto const merged = merge_and_route<Dim, true>(x.value(), w);
  return linear(x, merged.values, [route = merged.route, w](auto const& ct) {
    return return_route<Dim>(backend_of<decltype(ct)>{}, route, ct, merging_step<Dim>(ct, w), w);
  });
}

}  // namespace ashlar::ops_detail
