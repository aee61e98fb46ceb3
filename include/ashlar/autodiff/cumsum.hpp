// SPDX-License-Identifier: BSL-1.0
// The derivative of cumsum: the sums from the other end.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"

namespace ashlar::ops_detail {

template <int Dim, bool Reversed, active_value X>
constexpr auto sum_along(sums_along<Dim, Reversed> along, X const& x, call_site const& w) {
  auto y = sum_along(along, x.value(), w);
  active<decltype(y), X::replicated> result(x.recording_tape(), y);
  result.recording_tape().push([result, x, w] {
    if (!result.cotangent().is_set()) return;
    x.cotangent().add(
        typename X::cotangent_type(sum_along(sums_along<Dim, !Reversed>{}, result.cotangent().value(), w)));
  });
  return result;
}

}  // namespace ashlar::ops_detail
